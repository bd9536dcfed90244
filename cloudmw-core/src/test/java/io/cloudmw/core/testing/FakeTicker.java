package io.cloudmw.core.testing;

import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves only when a test advances it, or when a thread sleeps on it. Safe for any thread. */
public final class FakeTicker implements Ticker, Sleeper {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    /** Moves time forward by {@code step}. */
    public void advance(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException("step: " + step + " (expected: >= 0)");
        }
        nanos.addAndGet(step.toNanos());
    }

    /** Does not block: time jumps forward instead. */
    @Override
    public void sleep(long nanosToSleep) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        nanos.addAndGet(Math.max(0, nanosToSleep));
    }
}
