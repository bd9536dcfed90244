package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of timeouts that are all equally long, so that they expire in order and share one timer. A timer for each
 * small read would wake the timer's thread for every read. Safe for any thread; calls no listener with its lock held.
 */
final class TimeoutQueue {
    private static final Logger LOG = LoggerFactory.getLogger(TimeoutQueue.class);

    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final long nanos;

    /** In the order in which they expire; some are over already. */
    @GuardedBy("this")
    private final Queue<Wait> waits = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean set;

    /** A timeout in the queue. */
    static final class Wait {
        private final long untilNanos;
        /** Null once the wait is over, so that it holds nothing. */
        private final AtomicReference<Runnable> late;

        private Wait(long untilNanos, Runnable late) {
            this.untilNanos = untilNanos;
            this.late = new AtomicReference<>(late);
        }

        /** Ends the wait before its timeout. Idempotent. */
        void over() {
            late.set(null);
        }

        private boolean isOver() {
            return late.get() == null;
        }

        /** Runs the action; a failure of one does not keep the others from running. */
        private void run() {
            Runnable task = late.getAndSet(null);
            try {
                if (task != null) {
                    task.run();
                }
            } catch (RuntimeException | Error e) {
                LOG.error("the action of a timeout failed by a defect", e);
            }
        }
    }

    /** @param time the length of every timeout */
    TimeoutQueue(ScheduledExecutorService timer, Ticker ticker, Duration time) {
        this.timer = timer;
        this.ticker = ticker;
        this.nanos = time.toNanos();
    }

    /**
     * Begins a wait.
     *
     * @param late run by the timer at the timeout; must not block. Never run when no timer can be set
     */
    synchronized Wait begin(Runnable late) {
        Wait wait = new Wait(ticker.nanos() + nanos, late);
        dropThoseOver();
        waits.add(wait);
        set();
        return wait;
    }

    @GuardedBy("this")
    private void dropThoseOver() {
        for (Wait first = waits.peek(); first != null && first.isOver(); first = waits.peek()) {
            waits.remove();
        }
    }

    @GuardedBy("this")
    private void set() {
        Wait first = waits.peek();
        if (!set && first != null) {
            long delay = Math.max(0, first.untilNanos - ticker.nanos());
            set = Threads.later(timer, delay, this::ring).isPresent();
        }
    }

    private void ring() {
        runOut().forEach(Wait::run);
    }

    private synchronized List<Wait> runOut() {
        set = false;
        List<Wait> out = new ArrayList<>();
        dropThoseOver();
        for (Wait first = waits.peek(); first != null && first.untilNanos - ticker.nanos() <= 0; first = waits.peek()) {
            out.add(waits.remove());
            dropThoseOver();
        }
        set();
        return out;
    }

    /** The number of waits that are not known to be over. */
    synchronized int waiting() {
        return waits.size();
    }
}
