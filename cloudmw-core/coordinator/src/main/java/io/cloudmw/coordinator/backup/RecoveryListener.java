package io.cloudmw.coordinator.backup;

import io.cloudmw.core.model.FilePath;

/** Told how a recovery comes on, on its thread. */
public interface RecoveryListener {
    /** Hears nothing. */
    RecoveryListener NONE = new RecoveryListener() {};

    /** The backup has so many files, of so many bytes together. */
    default void planned(long files, long bytes) {}

    /** So many files, of so many bytes together, are in the catalog. */
    default void restored(long files, long bytes) {}

    /** The copies of so many files, of so many bytes together, were looked for. */
    default void located(long files, long bytes) {}

    /**
     * No store that was read has a right copy of some chunk of this file.
     *
     * @param certain all stores that its manifest names were read
     */
    default void lost(FilePath file, boolean certain) {}
}
