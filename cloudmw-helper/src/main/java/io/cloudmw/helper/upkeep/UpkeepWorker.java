package io.cloudmw.helper.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.remote.StoreDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker that does a helper's share of upkeep. A thread of its own asks the coordinator for tasks; the fetch
 * threads run them in the class for repair. The next request reports their results; a report that failed is repeated.
 * Safe for any thread.
 */
public final class UpkeepWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UpkeepWorker.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(20);

    /** The one client that all upkeep is to the I/O scheduler. */
    private static final String CLIENT = "upkeep";

    /** The cost of a listing or a deletion, which move no bytes. */
    private static final long SWEEP_COST = 1;

    private final WorkSource coordinator;
    private final TaskRunner runner;
    private final Ticker ticker;
    private final int limit;
    private final FairPool pool;
    private final Thread asking = Threads.factory("upkeep").newThread(this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<TaskResult> results = new ArrayList<>();

    @GuardedBy("lock")
    private int running;

    @GuardedBy("lock")
    private boolean registered;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Asks for no tasks before {@link #start}.
     *
     * @param spool holds chunks while they are copied
     * @param pool runs tasks, with the same ticker; the caller closes it
     * @param limit concurrent tasks
     */
    public UpkeepWorker(
            WorkSource coordinator,
            StoreDirectory stores,
            Spool spool,
            UpkeepMetrics metrics,
            Ticker ticker,
            FairPool pool,
            int limit) {
        this.coordinator = coordinator;
        this.runner = new TaskRunner(stores, spool, metrics, ticker);
        this.ticker = ticker;
        this.limit = limit;
        this.pool = pool;
    }

    /**
     * Starts to ask for tasks; called once.
     *
     * @param registration completes when the coordinator knows this helper, which gets no tasks before
     */
    public void start(CompletableFuture<Void> registration) {
        asking.start();
        var unused = registration.thenRun(this::registered);
    }

    private void registered() {
        lock.lock();
        try {
            registered = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitRegistration() {
        lock.lock();
        try {
            while (!registered && !closed) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        awaitRegistration();
        while (!isClosed()) {
            Duration pause = AFTER_FAILURE;
            boolean heard = false;
            try {
                pause = ask();
                heard = true;
            } catch (CloudMwException e) {
                LOG.debug("upkeep: no tasks: {}", e.getMessage());
            } catch (RuntimeException | Error e) {
                LOG.error("upkeep: a request for tasks failed by a defect", e);
            }
            await(pause, heard);
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Asks once; returns the pause before the next request, unless there is a result to report earlier. */
    private Duration ask() throws CloudMwException {
        long asked = ticker.nanos();
        List<TaskResult> reported;
        int room;
        lock.lock();
        try {
            reported = List.copyOf(results.subList(0, Math.min(results.size(), Upkeep.MAX_RESULTS)));
            room = limit - running;
        } finally {
            lock.unlock();
        }
        TaskBatch batch = coordinator.work(reported, room);
        lock.lock();
        try {
            if (!batch.elsewhere()) {
                results.removeAll(reported);
            }
            running += batch.assignments().size();
            for (long number : batch.unknown()) {
                results.add(runner.failure(
                        number,
                        ErrorCode.VERSION_UNSUPPORTED,
                        "task of an unknown kind (expected: a helper of the coordinator's version)",
                        new TaskFindings()));
            }
        } finally {
            lock.unlock();
        }
        for (TaskBatch.Assignment assignment : batch.assignments()) {
            long endNanos = asked + assignment.life().toNanos();
            begin(assignment, batch, endNanos);
        }
        return batch.pause().compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : batch.pause();
    }

    private void begin(TaskBatch.Assignment assignment, TaskBatch batch, long endNanos) {
        Task task = assignment.task();
        String volume = task instanceof Task.OfCopy copy ? copy.file().volume().value() : "";
        long bytes = task instanceof Task.OfCopy copy ? copy.chunk().range().length() : SWEEP_COST;
        try {
            var unused =
                    pool.submit(new Tenant(CLIENT, volume, Priority.REPAIR), bytes, OptionalLong.of(endNanos), () -> {
                        TaskFindings findings = new TaskFindings();
                        finished(runner.run(assignment, batch, endNanos, findings));
                        return task instanceof Task.OfCopy ? findings.bytesRead() : SWEEP_COST;
                    });
        } catch (CloudMwException e) {
            refused(assignment, e);
        } catch (RuntimeException | Error e) {
            refused(assignment, CloudMwException.ofDefect(task.about(), e));
        }
    }

    private void refused(TaskBatch.Assignment assignment, CloudMwException cause) {
        finished(runner.failure(
                assignment.number(), cause.code(), String.valueOf(cause.getMessage()), new TaskFindings()));
    }

    private void finished(TaskResult result) {
        lock.lock();
        try {
            running--;
            results.add(result);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** @param heard whether a result ends the pause, after a moment in which others may join it */
    private void await(Duration pause, boolean heard) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && left > 0) {
                left = heard && !results.isEmpty() ? Math.min(left, SHORTEST_PAUSE.toNanos()) : left;
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            LOG.debug("upkeep: interrupted");
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops asking. Running tasks end with their pool; the coordinator finds out about results that were not reported.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            asking.join(TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
