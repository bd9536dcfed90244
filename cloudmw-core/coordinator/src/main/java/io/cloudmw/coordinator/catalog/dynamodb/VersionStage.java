package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.version.VersionState;

/** The stage of a version's life, as stored in {@link Item#STATE}. */
enum VersionStage {
    OPEN,
    CURRENT,
    RETIRED,
    /** Retired; its records are being dropped. */
    FORGOTTEN,
    /** Forgotten except for chunks that others share; or never committed, with only its id kept. */
    LENT;

    /** Returns the state that other rooms see. */
    VersionState state() {
        return switch (this) {
            case OPEN -> VersionState.OPEN;
            case CURRENT -> VersionState.CURRENT;
            case RETIRED, FORGOTTEN -> VersionState.RETIRED;
            case LENT -> VersionState.LENT;
        };
    }

    static VersionStage of(Item state) {
        return valueOf(state.text(Item.STATE));
    }
}
