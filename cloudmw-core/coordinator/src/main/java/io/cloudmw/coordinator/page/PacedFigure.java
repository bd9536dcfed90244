package io.cloudmw.coordinator.page;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A value that is expensive to compute. It is computed again after {@value #SHARE} times the time that it took, but at
 * least after {@link #SHORTEST} and at most after a given time. So it takes at most 1/{@value #SHARE} of one processor,
 * unless that longest time is shorter. Safe for any thread; one caller computes, and the others wait.
 */
final class PacedFigure<T> {
    static final int SHARE = 200;

    /** Less than the time between two snapshots, so that cheap values are as new as their snapshot. */
    static final Duration SHORTEST = Duration.ofMillis(500);

    /** The computation. */
    @FunctionalInterface
    interface Computation<T> {
        T compute() throws CloudMwException;
    }

    /** A value and its age. */
    record Aged<T>(T value, long ageMillis) {}

    private final Computation<T> computation;
    private final long longestNanos;
    private final Ticker ticker;

    @GuardedBy("this")
    private @Nullable T value;

    @GuardedBy("this")
    private long computedNanos;

    @GuardedBy("this")
    private long tookNanos;

    PacedFigure(Computation<T> computation, Duration longest, Ticker ticker) {
        this.computation = computation;
        this.longestNanos = longest.toNanos();
        this.ticker = ticker;
    }

    synchronized Aged<T> get() throws CloudMwException {
        long now = ticker.nanos();
        @Nullable T known = value;
        if (known == null || now - computedNanos >= pauseNanos()) {
            known = computation.compute();
            value = known;
            computedNanos = ticker.nanos();
            tookNanos = computedNanos - now;
        }
        return new Aged<>(known, (ticker.nanos() - computedNanos) / 1_000_000);
    }

    @GuardedBy("this")
    private long pauseNanos() {
        return Math.max(SHORTEST.toNanos(), Math.min(longestNanos, SHARE * tookNanos));
    }
}
