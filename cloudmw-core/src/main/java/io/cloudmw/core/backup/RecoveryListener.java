package io.cloudmw.core.backup;

import io.cloudmw.core.model.FilePath;

/** Told how a recovery comes on, on its thread. */
public interface RecoveryListener {
    /** Hears nothing. */
    RecoveryListener NONE = new RecoveryListener() {};

    /** So many files are in the catalog. */
    default void restored(long files) {}

    /** The copies of so many files were looked for. */
    default void located(long files) {}

    /**
     * No store that was read has a right copy of some chunk of this file.
     *
     * @param certain all stores that its manifest names were read
     */
    default void lost(FilePath file, boolean certain) {}
}
