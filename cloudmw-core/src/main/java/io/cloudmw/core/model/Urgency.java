package io.cloudmw.core.model;

import java.time.Duration;
import java.util.Optional;

/**
 * How urgent a transfer is. Immutable.
 *
 * @param deadline how long it should take from its beginning: of one client, what is due first is done first; empty: not said
 */
public record Urgency(Priority priority, Optional<Duration> deadline) {
    public Urgency {
        deadline.ifPresent(time -> {
            if (time.isNegative() || time.isZero()) {
                throw new IllegalArgumentException("deadline: " + time + " (expected: > 0)");
            }
        });
    }

    /** Of this class, without a deadline. */
    public static Urgency of(Priority priority) {
        return new Urgency(priority, Optional.empty());
    }
}
