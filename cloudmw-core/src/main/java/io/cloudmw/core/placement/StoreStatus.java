package io.cloudmw.core.placement;

import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.model.fleet.Store;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A store and whether it can be used now.
 *
 * @param available a bucket while some process can use it; a disk while its owner's lease is
 * @param draining whether its copies are to go elsewhere, and nothing new comes; known of those that are listed
 * @param freeBytes what chunks may still use of a disk, as its owner last said; empty where nobody knows, or of a limit
 * @param reserveBytes what the disk's file system must keep free besides
 * @param mismatch why the bucket is not the one that the store had; known of those that are listed
 * @param reach who can use a bucket; known of those that are listed
 */
public record StoreStatus(
        Store store,
        boolean available,
        boolean draining,
        OptionalLong freeBytes,
        long reserveBytes,
        Optional<String> mismatch,
        StoreReach reach) {
    public StoreStatus {
        if (freeBytes.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "store " + store.id() + ": free " + freeBytes.getAsLong() + " (expected: >= 0)");
        }
    }

    /** A store whose bucket or disk is the right one, and that everybody can use who reaches it, as far as is known. */
    public StoreStatus(Store store, boolean available, boolean draining, OptionalLong freeBytes, long reserveBytes) {
        this(store, available, draining, freeBytes, reserveBytes, Optional.empty(), StoreReach.FULL);
    }

    /** A store of which no reserve is known. */
    public StoreStatus(Store store, boolean available, boolean draining, OptionalLong freeBytes) {
        this(store, available, draining, freeBytes, 0);
    }

    /** Only whether it can be reached. */
    public StoreStatus(Store store, boolean available) {
        this(store, available, false, OptionalLong.empty());
    }
}
