package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A deadline by the clock of this process, made of an urgency that was just received. Other processes, whose clocks
 * differ, get the time that is left. Immutable.
 */
public final class LocalDeadline implements Supplier<Urgency> {
    /** The least time left: late work is as urgent as a message can say. */
    private static final long LEAST_NANOS = Duration.ofMillis(1).toNanos();

    private final Urgency urgency;
    private final Ticker ticker;
    private final OptionalLong deadlineNanos;

    /** Makes a deadline whose time runs from now on. */
    public LocalDeadline(Urgency urgency, Ticker ticker) {
        this.urgency = urgency;
        this.ticker = ticker;
        this.deadlineNanos = urgency.deadline().stream()
                .mapToLong(time -> ticker.nanos() + time.toNanos())
                .findFirst();
    }

    /** The deadline by the ticker; empty: none. */
    public OptionalLong deadlineNanos() {
        return deadlineNanos;
    }

    /** The urgency now, with the time that is left. */
    @Override
    public Urgency get() {
        return new Urgency(
                urgency.priority(),
                urgency.deadline()
                        .map(time -> Math.max(LEAST_NANOS, deadlineNanos.orElseThrow() - ticker.nanos()))
                        .map(Duration::ofNanos));
    }
}
