package io.cloudmw.client.file;

import io.cloudmw.core.model.file.Change;

/**
 * The receiver of changes to the names of a volume. Its methods are called one at a time, on a thread of the client that
 * they may block. An exception ends the watch.
 */
public interface WatchListener {
    /** A name changed. Positions only ascend, except after {@link #lost}. */
    void changed(Change change);

    /**
     * Changes since the last call are lost, because they were too long ago or too many. A listener that keeps a copy of the
     * names lists the volume again. Changes after this position are told.
     */
    void lost(long position);
}
