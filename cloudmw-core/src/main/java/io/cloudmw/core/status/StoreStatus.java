package io.cloudmw.core.status;

import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.model.fleet.Store;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A store and whether it can be used now.
 *
 * @param available a bucket while some process can use it; a disk while its owner's lease lasts
 * @param draining whether its replicas are to move elsewhere, and it takes no new ones; known in listings
 * @param freeBytes the room left for chunks on a disk, by its owner's last report; empty when it is unknown or
 *     unlimited
 * @param reserveBytes the room that the disk's file system must keep free besides
 * @param mismatch why the bucket is not the one that the store had; known in listings
 * @param reach the processes that can use a bucket; known in listings
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

    /** A store with its own bucket or disk, which every process that reaches it can use, as far as is known. */
    public StoreStatus(Store store, boolean available, boolean draining, OptionalLong freeBytes, long reserveBytes) {
        this(store, available, draining, freeBytes, reserveBytes, Optional.empty(), StoreReach.FULL);
    }

    /** A store whose reserve is not known. */
    public StoreStatus(Store store, boolean available, boolean draining, OptionalLong freeBytes) {
        this(store, available, draining, freeBytes, 0);
    }

    /** A store of which only the reachability is known. */
    public StoreStatus(Store store, boolean available) {
        this(store, available, false, OptionalLong.empty());
    }
}
