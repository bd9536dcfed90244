package io.cloudmw.helper.block;

import io.cloudmw.core.error.CloudMwException;

/**
 * Leaves in a row, each in a file of its own, that are sent from there and not looked at again. One thread opens them, in their
 * order; any may close this, which ends an {@link #open} that waits for the disk.
 */
public interface LeafFiles extends AutoCloseable {
    /**
     * Opens the next leaf and brings its bytes into the kernel's memory, so that who sends them need not wait for the disk.
     * Blocks.
     *
     * @param index of the leaf, in the row
     * @return for the caller to release, after this is closed, too
     * @throws CloudMwException {@code REPLICA_MISSING} or {@code REPLICA_CORRUPT} when the file is not there, or not as long as it was;
     *     {@code STORE_UNAVAILABLE} when it cannot be read; {@code CANCELLED} after {@link #close}
     */
    Leaf open(int index) throws CloudMwException;

    /** Gives back what was set aside for leaves that were not opened. Idempotent. */
    @Override
    void close();
}
