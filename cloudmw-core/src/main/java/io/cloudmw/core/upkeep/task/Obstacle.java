package io.cloudmw.core.upkeep.task;

/** Why a copy that is missing cannot be made now. */
public enum Obstacle {
    /** No good copy can be reached. */
    NO_SOURCE,
    /** No store is left that can take one. */
    NO_TARGET,
    /** It is being written, or its store is expected back. */
    AWAITED
}
