package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import java.time.Duration;

/**
 * The answers of calls, kept for deduplication. A catalog records an answer in the step in which the call takes effect,
 * or before it returns a refusal ({@link RefusedCall}). A retry of the same call then gets the same answer and changes
 * nothing, however late it comes. Atomic, durable and safe for any thread like the {@link Catalog}.
 */
public interface AppliedCalls {
    /**
     * The largest age of a call that may take effect. A call that seems to come from as far in the future takes no
     * effect either.
     */
    Duration MAX_AGE = Duration.ofHours(1);

    /** The time for which an answer is kept at least. A forgotten call is too old to take effect. */
    Duration KEPT = Duration.ofHours(2);

    /** The most answers that one {@link #prune} drops from a list. Answers in several lists have sixteen of them. */
    int PRUNE_BATCH = 1000;

    /**
     * Drops some answers of calls that were issued before a time.
     *
     * @param issuedBeforeMillis {@link #KEPT} ago, or earlier
     * @return how many were dropped; 0 when none is left
     */
    int prune(long issuedBeforeMillis) throws CloudMwException;
}
