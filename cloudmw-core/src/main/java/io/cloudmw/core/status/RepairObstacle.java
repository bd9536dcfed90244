package io.cloudmw.core.status;

/** The reason why a missing copy cannot be made now. */
public enum RepairObstacle {
    /** No good copy can be reached. */
    NO_SOURCE,
    /** No store is left that can take one. */
    NO_TARGET,
    /** No live helper can use a good copy's store and a store that can take one. */
    NO_HELPER,
    /** The copy is being written, or its store is expected back. */
    AWAITED
}
