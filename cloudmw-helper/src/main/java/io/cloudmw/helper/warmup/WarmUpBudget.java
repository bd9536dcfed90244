package io.cloudmw.helper.warmup;

import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The limits of a warm-up: bytes and time. Confined to one thread. */
public final class WarmUpBudget {
    /** The price of a step that moves few bytes. */
    private static final long SMALL_BYTES = 1 << 20;

    /** Time for a step that has begun to end by itself; a write that is cut off would be logged as a failure. */
    private static final long GRACE_NANOS = Duration.ofSeconds(2).toNanos();

    private final Ticker ticker;
    private final long startNanos;
    private final long timeNanos;
    private final long mostBytes;
    private long movedBytes;

    /**
     * Starts the time.
     *
     * @param time zero allows nothing
     * @param bytes limit of the bytes that are moved
     */
    public WarmUpBudget(Duration time, long bytes, Ticker ticker) {
        this.ticker = ticker;
        this.startNanos = ticker.nanos();
        this.timeNanos = time.toNanos();
        this.mostBytes = bytes;
    }

    private boolean allows(long bytes) {
        return leftNanos() > 0 && bytes <= mostBytes - movedBytes;
    }

    private long leftNanos() {
        return timeNanos - (ticker.nanos() - startNanos);
    }

    /** Takes the price of a step that moves few bytes; returns false when the budget is used up. */
    public boolean takeSmall() {
        boolean allowed = allows(SMALL_BYTES);
        movedBytes += allowed ? SMALL_BYTES : 0;
        return allowed;
    }

    /**
     * Runs a step, unless the budget is used up, and waits for it.
     *
     * @return false when the step was not begun, failed, or did not end in time
     */
    boolean step(long bytes, Supplier<CompletableFuture<?>> step) throws InterruptedException {
        if (!allows(bytes)) {
            return false;
        }
        try {
            var unused = step.get().get(Math.max(0, leftNanos()) + GRACE_NANOS, TimeUnit.NANOSECONDS);
            movedBytes += bytes;
            return true;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        }
    }

    /** The bytes of the steps that have ended well. */
    public long movedBytes() {
        return movedBytes;
    }

    /** The time since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(ticker.nanos() - startNanos);
    }
}
