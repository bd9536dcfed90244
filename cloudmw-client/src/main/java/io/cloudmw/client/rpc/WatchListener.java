package io.cloudmw.client.rpc;

import io.cloudmw.core.model.Change;

/**
 * Told what happens to the names of a volume, one call at a time, on a thread of the client's that it may block. What it
 * throws ends its watch.
 */
public interface WatchListener {
    /** Something happened; positions only ascend, until {@link #lost}. */
    void changed(Change change);

    /**
     * The coordinators do not know any more what happened since the last call, because it was long ago or too much: who keeps
     * something that depends on it looks at the volume anew. What happens after this position is told again.
     */
    void lost(long position);
}
