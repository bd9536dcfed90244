package io.cloudmw.core.model;

import java.util.Comparator;
import java.util.UUID;

/**
 * NameRule a call that changes something, for all its tries. In the order of the times.
 *
 * @param id chosen by the caller, and never used twice
 * @param issuedAtMillis when it first wished it, by its own clock: since 1970-01-01T00:00:00Z
 */
public record CallId(UUID id, long issuedAtMillis) implements Comparable<CallId> {
    private static final Comparator<CallId> ORDER =
            Comparator.comparingLong(CallId::issuedAtMillis).thenComparing(CallId::id);

    public CallId {
        if (issuedAtMillis < 0) {
            throw new IllegalArgumentException("issuedAtMillis: " + issuedAtMillis + " (expected: >= 0)");
        }
    }

    /** A name for a call that is wished now. */
    public static CallId issuedAt(long nowMillis) {
        return new CallId(UUID.randomUUID(), nowMillis);
    }

    @Override
    public int compareTo(CallId other) {
        return ORDER.compare(this, other);
    }
}
