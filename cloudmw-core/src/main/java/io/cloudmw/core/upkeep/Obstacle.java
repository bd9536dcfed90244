package io.cloudmw.core.upkeep;

/** Why a copy that is missing cannot be made now. */
public enum Obstacle {
    /** No good copy can be reached. */
    NO_SOURCE,
    /** No store is left that can take one. */
    NO_TARGET,
    /** No helper that is alive can use a good copy's store and a store that can take one. */
    NO_HELPER,
    /** It is being written, or its store is expected back. */
    AWAITED
}
