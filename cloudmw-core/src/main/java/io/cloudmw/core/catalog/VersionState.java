package io.cloudmw.core.catalog;

/** Where a version is in its life; see {@link Catalog}. */
public enum VersionState {
    OPEN,
    CURRENT,
    RETIRED,
    /** Forgotten, but for chunks that others name. */
    LENT
}
