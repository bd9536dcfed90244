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
 * Does something about what takes too long. All are given the same time, so that those that began first run out of it first, and one timer does for
 * all: setting one for each, and stopping it soon after, woke the timer's thread for every small read. Safe for any
 * thread; calls nobody with its lock held.
 */
final class TimeoutQueue {
    private static final Logger LOG = LoggerFactory.getLogger(TimeoutQueue.class);

    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final long nanos;

    /** In the order in which their time runs out; some of them are over. */
    @GuardedBy("this")
    private final Queue<Wait> waits = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean set;

    /** Something that may take too long. */
    static final class Wait {
        private final long untilNanos;
        /** Null: it is over, and holds nothing any longer. */
        private final AtomicReference<Runnable> late;

        private Wait(long untilNanos, Runnable late) {
            this.untilNanos = untilNanos;
            this.late = new AtomicReference<>(late);
        }

        /** It did not take too long. Idempotent. */
        void over() {
            late.set(null);
        }

        private boolean isOver() {
            return late.get() == null;
        }

        /** Whatever goes wrong with one, the others are told. */
        private void run() {
            Runnable task = late.getAndSet(null);
            try {
                if (task != null) {
                    task.run();
                }
            } catch (RuntimeException | Error e) {
                LOG.error("what is done about something late failed by a defect", e);
            }
        }
    }

    /** @param time that each is given */
    TimeoutQueue(ScheduledExecutorService timer, Ticker ticker, Duration time) {
        this.timer = timer;
        this.ticker = ticker;
        this.nanos = time.toNanos();
    }

    /**
     * Something begins.
     *
     * @param late run by the timer when its time has run out; must not block. Never when no timer can be had
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

    /** That are not known to be over. */
    synchronized int waiting() {
        return waits.size();
    }
}
