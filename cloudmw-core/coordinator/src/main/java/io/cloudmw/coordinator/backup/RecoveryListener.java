package io.cloudmw.coordinator.backup;

import io.cloudmw.core.model.FilePath;

/** A listener to the progress of a recovery, called on the recovery's thread. */
public interface RecoveryListener {
    /** A listener that ignores everything. */
    RecoveryListener NONE = new RecoveryListener() {};

    /** Reports the number and total size of the backup's files. */
    default void planned(long files, long bytes) {}

    /** Reports how many files, of how many bytes, are in the catalog. */
    default void restored(long files, long bytes) {}

    /** Reports how many files, of how many bytes, had their copies located. */
    default void located(long files, long bytes) {}

    /**
     * Reports a file that has a chunk without a right copy in the stores that were read.
     *
     * @param certain whether all stores that its manifest names were read
     */
    default void lost(FilePath file, boolean certain) {}
}
