package io.cloudmw.core.model;

/** What is known of one copy of a chunk. */
public enum ReplicaState {
    /** Durable and believed good. */
    GOOD,
    /** Promised, not yet durable. */
    OWED,
    /** The store answered that it has no such chunk. */
    MISSING,
    /** Its bytes did not match their digest: quarantined, read only when nothing else is left. */
    CORRUPT
}
