package io.cloudmw.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * The time in which this process could have heard something: a stretch in which it was stopped, or its machine suspended,
 * counts as one step. For leases: who could not be heard is not dead for it. Safe for any thread.
 *
 * <p>It must be read more often than {@code longestStep}; of time in which nobody reads it only that much counts.
 */
public final class AwakeTicker implements Ticker {
    private final Ticker ticker;
    private final long longestStepNanos;

    @GuardedBy("this")
    private long lastNanos;

    @GuardedBy("this")
    private long awakeNanos;

    public AwakeTicker(Ticker ticker, Duration longestStep) {
        this.ticker = ticker;
        this.longestStepNanos = longestStep.toNanos();
        this.lastNanos = ticker.nanos();
    }

    @Override
    public synchronized long nanos() {
        long now = ticker.nanos();
        awakeNanos += Math.min(now - lastNanos, longestStepNanos);
        lastNanos = now;
        return awakeNanos;
    }
}
