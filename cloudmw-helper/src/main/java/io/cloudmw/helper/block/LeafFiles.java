package io.cloudmw.helper.block;

import io.cloudmw.core.error.CloudMwException;

/**
 * Adjacent leaves, each in a file of its own, which are sent from there without another check. A single thread opens
 * them in order. Any thread may close this, which also ends an {@link #open} that waits for the disk.
 */
public interface LeafFiles extends AutoCloseable {
    /**
     * Opens the next leaf and loads its bytes into the page cache, so that the sender need not wait for the disk.
     * Blocks.
     *
     * @param index of the leaf, from the first of the row
     * @return the leaf, which the caller releases; it outlives this object
     * @throws CloudMwException {@code REPLICA_MISSING} when the file is gone; {@code REPLICA_CORRUPT} when it is
     *     shorter than it was; {@code STORE_UNAVAILABLE} when it cannot be read; {@code CANCELLED} after {@link #close}
     */
    Leaf open(int index) throws CloudMwException;

    /** Gives back the files reserved for leaves that were not opened. Idempotent. */
    @Override
    void close();
}
