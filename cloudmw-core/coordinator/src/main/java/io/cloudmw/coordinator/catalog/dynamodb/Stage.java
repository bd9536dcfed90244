package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.VersionState;

/** Where a version is in its life, as kept in {@link Item#STATE}. */
enum Stage {
    OPEN,
    CURRENT,
    RETIRED,
    /** Retired, and what is kept of it is being dropped. */
    FORGOTTEN,
    /** Forgotten, but for chunks that others name, or but for its id if it was never committed. */
    LENT;

    /** As others know it. */
    VersionState state() {
        return switch (this) {
            case OPEN -> VersionState.OPEN;
            case CURRENT -> VersionState.CURRENT;
            case RETIRED, FORGOTTEN -> VersionState.RETIRED;
            case LENT -> VersionState.LENT;
        };
    }

    static Stage of(Item state) {
        return valueOf(state.text(Item.STATE));
    }
}
