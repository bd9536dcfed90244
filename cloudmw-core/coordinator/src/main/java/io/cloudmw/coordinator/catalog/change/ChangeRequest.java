package io.cloudmw.coordinator.catalog.change;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.time.WallClock;
import java.util.Optional;

/**
 * The call that requests a change, and its time. Safe for any thread.
 *
 * @param call identifies the call, so that it takes effect once; empty: no deduplication
 * @param nowMillis the time of the change in the catalog's records
 * @param clock measures the age of the call
 */
public record ChangeRequest(Optional<CallId> call, long nowMillis, WallClock clock) {
    /** Returns a request for an attempt of a call that begins now. */
    public static ChangeRequest of(Optional<CallId> call, WallClock clock) {
        return new ChangeRequest(call, clock.millis(), clock);
    }

    /** Returns a request without deduplication. */
    public static ChangeRequest once(long nowMillis) {
        return new ChangeRequest(Optional.empty(), nowMillis, () -> nowMillis);
    }

    /**
     * Checks that the call is recent enough. Callers check this after they found no answer of the call, since an old
     * answer may have been forgotten.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the call was issued more than {@link AppliedCalls#MAX_AGE}
     *     ago, or ahead
     */
    public void requireFresh() throws CloudMwException {
        if (call.isPresent()) {
            long ageMillis = clock.millis() - call.get().issuedAtMillis();
            if (Math.abs(ageMillis) > AppliedCalls.MAX_AGE.toMillis()) {
                throw CatalogErrors.callTooOld(call.get(), ageMillis);
            }
        }
    }
}
