package io.cloudmw.core.identity;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.util.Optional;

/** The rule that decides whether a bucket is the one that a store had. Pure. */
public final class BucketAdmission {
    private final String cluster;

    /**
     * @param cluster the id of the admitting cluster
     */
    public BucketAdmission(String cluster) {
        this.cluster = cluster;
    }

    /**
     * The identity for the store and the bucket's marker; a new one when neither has any.
     *
     * @param store as the cluster knows it, or is to know it
     * @param found the bucket's marker
     * @throws CloudMwException {@code STORE_MISMATCH} when it is another store's bucket, or was emptied
     */
    public StoreIdentity admit(Store store, Optional<BucketMarker> found) throws CloudMwException {
        StoreIdentity expected = store.identity();
        if (found.isEmpty()) {
            if (expected.isKnown()) {
                throw mismatch(store, "no marker " + BucketMarker.NAME + "; was it emptied?");
            }
            return StoreIdentity.random(cluster);
        }
        BucketMarker marker = found.get();
        StoreIdentity there = marker.identity();
        if (!marker.store().equals(store.id())) {
            throw mismatch(store, "store " + marker.store() + " of cluster " + there.cluster());
        }
        if (there.isSame(expected)) {
            return expected.in(cluster);
        }
        boolean ofThis = there.cluster().equals(cluster) || there.cluster().equals(expected.cluster());
        if (expected.isKnown() || !ofThis) {
            throw mismatch(
                    store,
                    "store " + marker.store() + " of cluster " + there.cluster() + " (identity " + there.value() + ")");
        }
        return there.in(cluster);
    }

    private CloudMwException mismatch(Store store, String found) {
        StoreIdentity expected = store.identity();
        String wanted = expected.isKnown()
                ? "the bucket with identity " + expected.value() + " of cluster " + cluster
                : "a bucket that no other store uses";
        return new CloudMwException(
                ErrorCode.STORE_MISMATCH,
                "store " + store.id() + ": " + store.kind().place() + " has " + found + " (expected: " + wanted + "). "
                        + (expected.isKnown()
                                ? "If what it had is lost, cloudmw store replace " + store.id()
                                        + " has all copies made anew."
                                : "cloudmw store add --replace takes it from the other store, which then loses it."));
    }
}
