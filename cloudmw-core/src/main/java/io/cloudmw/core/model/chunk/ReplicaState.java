package io.cloudmw.core.model.chunk;

/** What is known of one copy of a chunk. */
public enum ReplicaState {
    /** Durable and believed good. */
    GOOD,
    /** Promised, not yet durable. */
    OWED,
    /** The store answered that it has no such chunk. */
    MISSING,
    /** Its bytes did not match their digest: quarantined, read only when nothing else is left. */
    CORRUPT,
    /** Durable and believed good, where the manifest names none: upkeep put it there. */
    MOVED,
    /** No copy any more, wherever the manifest names one: there are others. Its bytes are still to be deleted. */
    DROPPED,
    /** As {@link #DROPPED}, and its bytes are deleted. */
    GONE;

    /** Whether it is a copy that ought to be good and is not. */
    public boolean isFault() {
        return this == OWED || this == MISSING || this == CORRUPT;
    }

    /** Whether the copy's writer says so: of a version that may have just begun. */
    public boolean isFromWriter() {
        return this == GOOD || this == OWED;
    }

    /** Whether upkeep has decided that it is no copy any more: what others find out about it is of no interest. */
    public boolean isDropped() {
        return this == DROPPED || this == GONE;
    }
}
