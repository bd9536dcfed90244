package io.cloudmw.core.placement;

import io.cloudmw.core.model.Store;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A store and whether it can be used now.
 *
 * @param available an S3 store always is; a disk while its owner's lease is
 * @param draining whether its copies are to go elsewhere, and nothing new comes; known of those that are listed
 * @param freeBytes what chunks may still use of a disk, as its owner last said; empty where nobody knows, or of a limit
 * @param reserveBytes what the disk's file system must keep free besides
 * @param mismatch why the bucket is not the one that the store had; known of those that are listed
 */
public record StoreStatus(
        Store store,
        boolean available,
        boolean draining,
        OptionalLong freeBytes,
        long reserveBytes,
        Optional<String> mismatch) {
    public StoreStatus {
        if (freeBytes.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "store " + store.id() + ": free " + freeBytes.getAsLong() + " (expected: >= 0)");
        }
    }

    /** Whose bucket or disk is the right one, as far as is known. */
    public StoreStatus(Store store, boolean available, boolean draining, OptionalLong freeBytes, long reserveBytes) {
        this(store, available, draining, freeBytes, reserveBytes, Optional.empty());
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
