package io.cloudmw.core.model.chunk;

/** The state of one replica of a chunk. */
public enum ReplicaState {
    /** Durable and believed good. */
    GOOD,
    /** Promised, not yet durable. */
    OWED,
    /** The store answered that it has no such chunk. */
    MISSING,
    /** Its bytes did not match their digest: quarantined, read only when nothing else is left. */
    CORRUPT,
    /** Durable and believed good in a store that the manifest does not name: upkeep put it there. */
    MOVED,
    /**
     * No longer a replica, although the manifest names it: others took its place. Its bytes are still to be deleted.
     */
    DROPPED,
    /** Like {@link #DROPPED}, with its bytes deleted. */
    GONE;

    /** Returns whether the replica ought to be good and is not. */
    public boolean isFault() {
        return this == OWED || this == MISSING || this == CORRUPT;
    }

    /** Returns whether the replica's writer reported the state, perhaps of a version that has just begun. */
    public boolean isFromWriter() {
        return this == GOOD || this == OWED;
    }

    /** Returns whether upkeep has dropped the replica, so that later findings about it do not count. */
    public boolean isDropped() {
        return this == DROPPED || this == GONE;
    }
}
