package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * When something that was just said to be so urgent should be done, by the clock of this process. Others, whose clocks are different, are
 * told how much of the time is left when they are asked. Immutable.
 */
public final class LocalDeadline implements Supplier<Urgency> {
    /** What is late is as urgent as can be said. */
    private static final long LEAST_NANOS = Duration.ofMillis(1).toNanos();

    private final Urgency said;
    private final Ticker ticker;
    private final OptionalLong deadlineNanos;

    /** Its time runs from now on. */
    public LocalDeadline(Urgency said, Ticker ticker) {
        this.said = said;
        this.ticker = ticker;
        this.deadlineNanos = said.deadline().stream()
                .mapToLong(time -> ticker.nanos() + time.toNanos())
                .findFirst();
    }

    /** By the ticker; empty: it was not said. */
    public OptionalLong deadlineNanos() {
        return deadlineNanos;
    }

    /** How urgent it is now: with what is left of its time. */
    @Override
    public Urgency get() {
        return new Urgency(
                said.priority(),
                said.deadline()
                        .map(time -> Math.max(LEAST_NANOS, deadlineNanos.orElseThrow() - ticker.nanos()))
                        .map(Duration::ofNanos));
    }
}
