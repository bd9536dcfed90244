package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.coordinator.catalog.Catalog;

/** The states of a version's life; see {@link Catalog}. */
public enum VersionState {
    OPEN,
    CURRENT,
    RETIRED,
    /**
     * Forgotten except for the chunks that others share; or never committed and abandoned, so that only its id is kept.
     */
    LENT
}
