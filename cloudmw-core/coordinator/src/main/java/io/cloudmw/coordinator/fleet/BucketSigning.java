package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.signing.HelperSigner;

/**
 * The ways of a coordinator to sign URLs of buckets.
 *
 * @param own with its own credentials
 * @param helpers helpers that sign where it has none
 */
public record BucketSigning(BucketAccess own, HelperSigner helpers) {
    /** Returns the signing of a coordinator that asks no helper. */
    public static BucketSigning of(BucketAccess own) {
        return new BucketSigning(own, HelperSigner.none());
    }
}
