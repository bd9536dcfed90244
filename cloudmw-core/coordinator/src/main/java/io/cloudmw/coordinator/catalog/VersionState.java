package io.cloudmw.coordinator.catalog;

/** Where a version is in its life; see {@link Catalog}. */
public enum VersionState {
    OPEN,
    CURRENT,
    RETIRED,
    /** Forgotten, but for chunks that others name; or never committed and given up for good: its id is all that is kept. */
    LENT
}
