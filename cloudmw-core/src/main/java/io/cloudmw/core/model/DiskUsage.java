package io.cloudmw.core.model;

/**
 * How full a disk is, as its owner says.
 *
 * @param freeBytes what chunks may still use, without the reserve
 */
public record DiskUsage(StoreId store, long usedBytes, long freeBytes) {
    public DiskUsage {
        if (usedBytes < 0 || freeBytes < 0) {
            throw new IllegalArgumentException(
                    "disk " + store + ": used " + usedBytes + ", free " + freeBytes + " (expected: >= 0)");
        }
    }
}
