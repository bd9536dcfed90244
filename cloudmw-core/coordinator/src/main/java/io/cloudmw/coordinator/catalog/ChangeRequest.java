package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.time.WallClock;
import java.util.Optional;

/**
 * Who wishes a change, and when. Safe for any thread.
 *
 * @param call takes effect once, however often it is tried; empty: it is tried once
 * @param nowMillis when the change happens, as far as the catalog's records say it
 * @param clock says how old the call is
 */
public record ChangeRequest(Optional<CallId> call, long nowMillis, WallClock clock) {
    /** A try, which begins now, of a call. */
    public static ChangeRequest of(Optional<CallId> call, WallClock clock) {
        return new ChangeRequest(call, clock.millis(), clock);
    }

    /** What is tried once. */
    public static ChangeRequest once(long nowMillis) {
        return new ChangeRequest(Optional.empty(), nowMillis, () -> nowMillis);
    }

    /**
     * To be asked after it was seen that the call has not taken effect: that may have been forgotten if it is too old.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it was issued more than {@link AppliedCalls#MAX_AGE} ago, or ahead
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
