package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.signing.HelperUrlSigner;

/**
 * The signers that a coordinator can use for URLs of buckets.
 *
 * @param own with its own credentials
 * @param helpers helpers that sign where it has none
 */
public record SigningSources(BucketAccess own, HelperUrlSigner helpers) {
    /** Returns the signing of a coordinator that asks no helper. */
    public static SigningSources of(BucketAccess own) {
        return new SigningSources(own, HelperUrlSigner.none());
    }
}
