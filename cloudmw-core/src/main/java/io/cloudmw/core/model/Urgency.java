package io.cloudmw.core.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The urgency of a transfer. Immutable.
 *
 * @param deadline the time from its beginning that it may take; empty: none. Work of one client with the earliest
 * deadline comes first.
 */
public record Urgency(Priority priority, Optional<Duration> deadline) {
    public Urgency {
        deadline.ifPresent(time -> {
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("deadline: " + time + " (expected: > 0)");
            }
        });
    }

    /** The urgency of this class, without a deadline. */
    public static Urgency of(Priority priority) {
        return new Urgency(priority, Optional.empty());
    }
}
