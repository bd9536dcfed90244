package io.cloudmw.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * A clock of the time in which this process could receive messages: a pause of the process or its machine counts as
 * one step. Leases use it, so that a pause here does not expire the leases of others. Safe for any thread.
 *
 * <p>It must be read more often than {@code longestStep}; a longer gap counts only that much.
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
