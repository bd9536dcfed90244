package io.cloudmw.helper.serve;

import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** The idle time-out of a stream's other side. Confined to the stream's executor. */
final class IdleTimeout {
    private final Duration longest;
    private final Ticker ticker;
    private final ScheduledExecutorService timer;
    private final Runnable check;
    private long activeNanos;
    private @Nullable Future<?> watching;

    /**
     * Watches nothing yet.
     *
     * @param longest the time-out
     * @param check run by the timer when the time may be over. The task has the stream's executor call {@link #isOver}
     *     after everything that has arrived, so that only the other side can be to blame
     */
    IdleTimeout(Duration longest, Ticker ticker, ScheduledExecutorService timer, Runnable check) {
        this.longest = longest;
        this.ticker = ticker;
        this.timer = timer;
        this.check = check;
    }

    /** Starts to watch. */
    void watch() {
        restart();
        checkAfter(longest.toNanos());
    }

    boolean isWatched() {
        return watching != null;
    }

    /** Notes that the other side was active, and restarts its idle time. */
    void restart() {
        activeNanos = ticker.nanos();
    }

    /** Returns whether the time is over; otherwise schedules the next check. */
    boolean isOver() {
        long left = longest.toNanos() - (ticker.nanos() - activeNanos);
        if (left > 0) {
            checkAfter(left);
        }
        return left <= 0;
    }

    private void checkAfter(long nanos) {
        watching = Threads.later(timer, nanos, check).orElse(null);
    }

    void end() {
        Future<?> waits = watching;
        if (waits != null) {
            waits.cancel(false);
        }
    }
}
