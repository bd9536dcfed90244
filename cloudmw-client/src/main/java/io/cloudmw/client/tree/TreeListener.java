package io.cloudmw.client.tree;

import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.core.error.CloudMwException;

/** Told what happens to files, by any thread, one at a time. It must not block. */
public interface TreeListener {
    /** A file is copied, or would be. */
    default void copies(String file, long bytes, String why) {}

    /** A file is deleted, or would be. */
    default void deletes(String file) {}

    /** It is neither a file nor a directory. */
    default void skips(String file, String why) {}

    default void failed(String file, CloudMwException why) {}

    /** A file that is put has made no progress for two seconds; told again each second until it makes some. */
    default void waiting(String file, PutDelay delay) {}

    /** So many files were deleted so far, or would be. */
    default void deleted(long files) {}

    /** So many bytes of all files were copied so far. */
    default void progressed(long bytes) {}

    /** Returns whether a copy is to count all files ahead: it lists the source once more for that. */
    default boolean wantsTotals() {
        return false;
    }

    /** How far a copy is. */
    default void advanced(TreeProgress progress) {}
}
