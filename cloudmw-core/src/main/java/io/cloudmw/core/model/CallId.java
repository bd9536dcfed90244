package io.cloudmw.core.model;

import java.util.Comparator;
import java.util.UUID;

/**
 * The identity of a call that changes something, the same in every try. Ids sort by the time of the call.
 *
 * @param id chosen by the caller, and never used twice
 * @param issuedAtMillis the caller's time at the first try, since 1970-01-01T00:00:00Z
 */
public record CallId(UUID id, long issuedAtMillis) implements Comparable<CallId> {
    private static final Comparator<CallId> ORDER =
            Comparator.comparingLong(CallId::issuedAtMillis).thenComparing(CallId::id);

    public CallId {
        if (issuedAtMillis < 0) {
            throw new IllegalArgumentException("issuedAtMillis: " + issuedAtMillis + " (expected: >= 0)");
        }
    }

    /** The identity of a call issued now. */
    public static CallId issuedAt(long nowMillis) {
        return new CallId(UUID.randomUUID(), nowMillis);
    }

    @Override
    public int compareTo(CallId other) {
        return ORDER.compare(this, other);
    }
}
