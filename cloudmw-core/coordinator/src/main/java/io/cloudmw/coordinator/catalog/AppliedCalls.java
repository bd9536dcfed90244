package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;

/**
 * Which calls were answered, and what: kept in the step in which they took effect, or before they are told that they were refused
 * ({@link Refusal}), so that another try of the same call answers the same and changes nothing, however late it comes. Like all of
 * a {@link Catalog}.
 */
public interface AppliedCalls {
    /** A call that was issued longer ago takes no effect any more, nor one that seems to come from as far ahead. */
    Duration MAX_AGE = Duration.ofHours(1);

    /** For so long after they were issued calls are kept at least: what was forgotten is too old to take effect. */
    Duration KEPT = Duration.ofHours(2);

    /** One {@link #prune} drops no more of a list; those that are kept in several lists have sixteen. */
    int PRUNE_BATCH = 1000;

    /**
     * Drops some of those that were issued before.
     *
     * @param issuedBeforeMillis {@link #KEPT} ago, or earlier
     * @return how many; 0: there is none left
     */
    int prune(long issuedBeforeMillis) throws CloudMwException;
}
