package io.cloudmw.helper.serve;

import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** For how long the other side of a stream has done nothing of what it may do. Belongs to the executor of the stream. */
final class IdleTimeout {
    private final Duration longest;
    private final Ticker ticker;
    private final ScheduledExecutorService timer;
    private final Runnable look;
    private long heardNanos;
    private @Nullable Future<?> watching;

    /**
     * Looks at nothing yet.
     *
     * @param longest what is borne
     * @param look run by the timer when it may have lasted for so long; has the stream's executor ask {@link #isTooLong}, after all that
     *     had arrived, so that only the other side can be to blame
     */
    IdleTimeout(Duration longest, Ticker ticker, ScheduledExecutorService timer, Runnable look) {
        this.longest = longest;
        this.ticker = ticker;
        this.timer = timer;
        this.look = look;
    }

    /** From now on it is watched. */
    void watch() {
        heard();
        lookAfter(longest.toNanos());
    }

    boolean isWatched() {
        return watching != null;
    }

    /** From now on it is the other side's turn. */
    void heard() {
        heardNanos = ticker.nanos();
    }

    /** If it is not, it is looked at again when it may be. */
    boolean isTooLong() {
        long left = longest.toNanos() - (ticker.nanos() - heardNanos);
        if (left > 0) {
            lookAfter(left);
        }
        return left <= 0;
    }

    private void lookAfter(long nanos) {
        watching = Threads.later(timer, nanos, look).orElse(null);
    }

    void end() {
        Future<?> waits = watching;
        if (waits != null) {
            waits.cancel(false);
        }
    }
}
