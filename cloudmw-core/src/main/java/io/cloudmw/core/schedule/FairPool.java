package io.cloudmw.core.schedule;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded pool of threads for blocking work, in the order of a {@link FairScheduler}. It takes one lock when work
 * arrives, begins and ends, and calls no foreign code under it. Safe for any thread; its creator closes it.
 */
public final class FairPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FairPool.class);

    /** The delay before another try to start a thread. */
    private static final long NO_THREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Work that may block; it returns the number of bytes it has moved. */
    @FunctionalInterface
    public interface Task {
        long run();
    }

    private final int threads;
    private final Ticker ticker;
    private final ScheduledExecutorService timer;
    private final ScheduleMetrics metrics;
    private final ExecutorService executor;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final FairScheduler<Task> scheduler;

    /** The threads that look for work or run it. */
    @GuardedBy("lock")
    private int running;

    /** The threads that run it. */
    @GuardedBy("lock")
    private int busy;

    /** Wakes a thread when caps let waiting work through. */
    @GuardedBy("lock")
    private @Nullable Future<?> wakeUp;

    @GuardedBy("lock")
    private long wakeUpAtNanos;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Makes a pool without any thread yet.
     *
     * @param name of its threads
     * @param threads the most work items that run at once
     * @param timer only wakes the pool
     * @param metrics the meters of its queue
     */
    public FairPool(
            String name,
            int threads,
            ScheduleLimits limits,
            Ticker ticker,
            ScheduledExecutorService timer,
            ScheduleMetrics metrics) {
        this.threads = threads;
        this.ticker = ticker;
        this.timer = timer;
        this.metrics = metrics;
        this.scheduler = new FairScheduler<>(limits);
        // Threads that found no more work may still be ending when others are wanted, which then wait for them.
        this.executor = Threads.blocking(name, threads, threads);
        metrics.watch(this::queued);
    }

    /**
     * Runs {@code task} when it is its turn.
     *
     * @param costBytes the estimated bytes it will move, at least 1
     * @param deadlineNanos by the pool's ticker; empty: none
     * @throws CloudMwException {@code OVERLOADED} when the queue is full, or there is no thread; {@code CANCELLED}
     *     when the pool is closed
     */
    public ScheduledWork<Task> submit(Tenant tenant, long costBytes, OptionalLong deadlineNanos, Task task)
            throws CloudMwException {
        ScheduledWork<Task> turn;
        synchronized (lock) {
            if (closed) {
                throw new CloudMwException(ErrorCode.CANCELLED, "this process is closing");
            }
            scheduler.free(threads - busy);
            try {
                turn = scheduler.submit(tenant, task, costBytes, deadlineNanos, ticker.nanos());
            } catch (CloudMwException e) {
                metrics.refused(tenant.priority());
                throw e;
            }
            if (!startThread() && running == 0 && scheduler.withdraw(turn)) {
                metrics.refused(tenant.priority());
                throw new CloudMwException(ErrorCode.OVERLOADED, "no thread can be started");
            }
        }
        return turn;
    }

    /** Takes work back; returns false when it has begun. */
    public boolean withdraw(ScheduledWork<Task> turn) {
        synchronized (lock) {
            return scheduler.withdraw(turn);
        }
    }

    /** The number of waiting items of a class. */
    public int queued(Priority priority) {
        synchronized (lock) {
            return scheduler.queued(priority);
        }
    }

    /** Starts a thread unless enough of them run. Returns whether the running threads will take the waiting work. */
    @GuardedBy("lock")
    private boolean startThread() {
        if (running == threads) {
            return true;
        }
        running++;
        try {
            executor.execute(this::work);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            running--;
            LOG.debug("no thread can be started for waiting work", e);
            return false;
        }
    }

    private void work() {
        boolean ended = false;
        try {
            serve();
            ended = true;
        } finally {
            if (!ended) {
                synchronized (lock) {
                    running--; // otherwise its place would stay taken
                }
            }
        }
    }

    private void serve() {
        for (ScheduledWork<Task> turn = take(); turn != null; turn = take()) {
            long bytes = 0;
            try {
                metrics.waited(turn.tenant().priority(), ticker.nanos() - turn.submittedNanos());
                bytes = turn.work().run();
                metrics.served(turn.tenant().priority(), bytes);
            } catch (RuntimeException | Error e) {
                LOG.error("work for {} failed by a defect", turn.tenant(), e);
            } finally {
                settle(turn, bytes);
                // The interrupt was for the last work item, not for the next.
                if (Thread.interrupted()) {
                    LOG.trace("an interrupt came late");
                }
            }
        }
    }

    /** The next work item; null: none may begin now, and this thread ends. */
    private @Nullable ScheduledWork<Task> take() {
        synchronized (lock) {
            Optional<ScheduledWork<Task>> next = closed ? Optional.empty() : scheduler.next(ticker.nanos());
            if (next.isEmpty()) {
                wakeLater();
                running--;
                return null;
            }
            busy++;
            if (scheduler.queued() > 0 && !startThread()) {
                LOG.debug("fewer threads than allowed: {}", running);
            }
            return next.get();
        }
    }

    private void settle(ScheduledWork<Task> turn, long bytes) {
        synchronized (lock) {
            busy--;
            scheduler.settle(turn, bytes, ticker.nanos());
        }
    }

    @GuardedBy("lock")
    private void wakeLater() {
        OptionalLong at = closed ? OptionalLong.empty() : scheduler.admitsAtNanos();
        if (at.isEmpty() || (wakeUp != null && wakeUpAtNanos - at.getAsLong() <= 0)) {
            return;
        }
        if (wakeUp != null) {
            wakeUp.cancel(false);
        }
        wakeAt(at.getAsLong());
    }

    @GuardedBy("lock")
    private void wakeAt(long atNanos) {
        wakeUpAtNanos = atNanos;
        long delay = Math.max(0, atNanos - ticker.nanos());
        wakeUp = Threads.later(timer, delay, this::wake).orElse(null);
    }

    private void wake() {
        synchronized (lock) {
            wakeUp = null;
            if (!closed && !startThread()) {
                wakeAt(ticker.nanos() + NO_THREAD_NANOS);
            }
        }
    }

    /** Drops waiting work silently and interrupts running work. Does not wait for it. */
    @Override
    public void close() {
        List<Runnable> neverStarted;
        synchronized (lock) {
            closed = true;
            if (wakeUp != null) {
                wakeUp.cancel(false);
            }
            neverStarted = executor.shutdownNow();
        }
        LOG.debug("closed; {} threads had not begun", neverStarted.size());
    }
}
