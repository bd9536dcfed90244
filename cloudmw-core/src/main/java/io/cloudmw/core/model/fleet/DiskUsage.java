package io.cloudmw.core.model.fleet;

import io.cloudmw.core.model.StoreId;

/**
 * The usage of a disk, as its owner reports it.
 *
 * @param freeBytes the room left for chunks, without the reserve
 * @param reserveBytes the room that the disk's file system must keep free
 */
public record DiskUsage(StoreId store, long usedBytes, long freeBytes, long reserveBytes) {
    public DiskUsage {
        if (usedBytes < 0 || freeBytes < 0 || reserveBytes < 0) {
            throw new IllegalArgumentException("disk " + store + ": used " + usedBytes + ", free " + freeBytes
                    + ", reserve " + reserveBytes + " (expected: >= 0)");
        }
    }

    /** A disk without a reserve. */
    public DiskUsage(StoreId store, long usedBytes, long freeBytes) {
        this(store, usedBytes, freeBytes, 0);
    }
}
