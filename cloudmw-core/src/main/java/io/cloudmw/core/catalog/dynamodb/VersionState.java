package io.cloudmw.core.catalog.dynamodb;

/** Where a version is in its life, as kept in {@link Item#STATE}. */
enum VersionState {
    OPEN,
    CURRENT,
    RETIRED,
    /** Retired, and what is kept of it is being dropped. */
    FORGOTTEN;

    static VersionState of(Item state) {
        return valueOf(state.text(Item.STATE));
    }
}
