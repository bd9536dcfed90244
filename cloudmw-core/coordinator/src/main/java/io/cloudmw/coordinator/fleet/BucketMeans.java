package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.signing.HelperSigner;

/**
 * How a coordinator gets at buckets.
 *
 * @param own with the credentials that it has itself
 * @param helpers sign in its place where it has none
 */
public record BucketMeans(BucketAccess own, HelperSigner helpers) {
    /** The means of a coordinator that asks no helper to sign. */
    public static BucketMeans of(BucketAccess own) {
        return new BucketMeans(own, HelperSigner.none());
    }
}
