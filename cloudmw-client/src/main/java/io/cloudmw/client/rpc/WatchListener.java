package io.cloudmw.client.rpc;

import io.cloudmw.core.model.file.Change;

/**
 * A listener to changes of the names of a volume. Called by one thread of the client at a time, which it may block. An
 * exception that it throws ends its watch.
 */
public interface WatchListener {
    /** A name has changed; positions only ascend, until {@link #lost}. */
    void changed(Change change);

    /**
     * The coordinators no longer know the changes since the last call, which were too many or too long ago. A listener
     * that keeps state of the volume must read the volume again. Changes after this position are reported again.
     */
    void lost(long position);
}
