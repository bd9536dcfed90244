package io.cloudmw.client.tree;

import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.core.error.CloudMwException;

/** A listener to a run over a directory's files. Called by any thread, one at a time; must not block. */
public interface TreeListener {
    /** A file is copied, or would be. */
    default void copies(String file, long bytes, String why) {}

    /** A file is deleted, or would be. */
    default void deletes(String file) {}

    /** A path is neither a file nor a directory. */
    default void skips(String file, String why) {}

    default void failed(String file, CloudMwException why) {}

    /** A file that is put has made no progress for two seconds. Repeated each second until it makes some. */
    default void waiting(String file, PutDelay delay) {}

    /** The number of files that were deleted so far, or would be. */
    default void deleted(long files) {}

    /** The bytes of all files that were copied so far. */
    default void progressed(long bytes) {}

    /** Returns whether a copy counts all files ahead, for which it lists the source once more. */
    default boolean wantsTotals() {
        return false;
    }

    /** The progress of a copy. */
    default void advanced(TreeProgress progress) {}
}
