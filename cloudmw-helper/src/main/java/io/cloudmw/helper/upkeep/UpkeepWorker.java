package io.cloudmw.helper.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.remote.StoreDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
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
    private final StoreDirectory stores;
    private final Spool spool;
    private final UpkeepMetrics metrics;
    private final Ticker ticker;
    private final int limit;
    private final FairPool pool;
    private final Thread asking = Threads.factory("upkeep").newThread(this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Copies being deleted here. A delayed deletion must not delete a copy that was put after its deadline. */
    private final Map<String, Integer> deleting = new ConcurrentHashMap<>();

    @GuardedBy("lock")
    private final List<TaskResult> results = new ArrayList<>();

    @GuardedBy("lock")
    private int running;

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
        this.stores = stores;
        this.spool = spool;
        this.metrics = metrics;
        this.ticker = ticker;
        this.limit = limit;
        this.pool = pool;
    }

    /** Starts to ask for tasks; called once. */
    public void start() {
        asking.start();
    }

    private void run() {
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
        TaskBatch handout = coordinator.work(reported, room);
        lock.lock();
        try {
            if (!handout.elsewhere()) {
                results.removeAll(reported);
            }
            running += handout.assignments().size();
            for (long number : handout.unknown()) {
                results.add(failure(
                        number,
                        ErrorCode.VERSION_UNSUPPORTED,
                        "task of an unknown kind (expected: a helper of the coordinator's version)",
                        new TaskFindings()));
            }
        } finally {
            lock.unlock();
        }
        for (TaskBatch.Assignment assignment : handout.assignments()) {
            long endNanos = asked + assignment.life().toNanos();
            begin(assignment, handout, endNanos);
        }
        return handout.pause().compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : handout.pause();
    }

    private void begin(TaskBatch.Assignment assignment, TaskBatch handout, long endNanos) {
        Task task = assignment.task();
        String volume = task instanceof Task.OfCopy copy ? copy.file().volume().value() : "";
        long bytes = task instanceof Task.OfCopy copy ? copy.chunk().range().length() : SWEEP_COST;
        try {
            var unused =
                    pool.submit(new Tenant(CLIENT, volume, Priority.REPAIR), bytes, OptionalLong.of(endNanos), () -> {
                        TaskFindings findings = new TaskFindings();
                        finished(done(assignment, handout, endNanos, findings));
                        return task instanceof Task.OfCopy ? findings.bytesRead() : SWEEP_COST;
                    });
        } catch (CloudMwException e) {
            refused(assignment, e);
        } catch (RuntimeException | Error e) {
            refused(assignment, CloudMwException.ofDefect(task.about(), e));
        }
    }

    private void refused(TaskBatch.Assignment assignment, CloudMwException cause) {
        finished(failure(assignment.number(), cause.code(), String.valueOf(cause.getMessage()), new TaskFindings()));
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

    private TaskResult done(TaskBatch.Assignment assignment, TaskBatch handout, long endNanos, TaskFindings findings) {
        long number = assignment.number();
        Task task = assignment.task();
        if (ticker.nanos() - endNanos >= 0) {
            return failure(
                    number, ErrorCode.DEADLINE_EXCEEDED, "the task's deadline had passed before it started", findings);
        }
        try {
            if (task instanceof Task.OfCopy copy) {
                long bytes = run(copy, resolver(copy, assignment, handout), findings, endNanos);
                return new TaskResult(number, Optional.empty(), "", bytes, findings.faults(), Optional.empty());
            }
            return swept(number, task, endNanos);
        } catch (CloudMwException e) {
            return failure(number, e.code(), String.valueOf(e.getMessage()), findings);
        } catch (RuntimeException | Error e) {
            LOG.error("upkeep: {} failed by a defect", task.about(), e);
            return failure(number, CloudMwException.ofDefect(task.about(), e).code(), String.valueOf(e), findings);
        }
    }

    private StoreResolver resolver(Task.OfCopy task, TaskBatch.Assignment assignment, TaskBatch handout)
            throws CloudMwException {
        TransferToken token = assignment
                .token()
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION, "upkeep: " + task.about() + " came without a token"));
        // Other helpers see these claims; the token itself says what it allows.
        TransferClaims claims =
                new TransferClaims(task.rights(), task.file(), task.chunk().id().version(), 0);
        return stores.resolver(task.stores(), handout.helpers(), token, claims, () -> Urgency.of(Priority.REPAIR));
    }

    /** Runs a task about one copy; returns the bytes written or verified. */
    private long run(Task.OfCopy task, StoreResolver resolver, TaskFindings findings, long endNanos)
            throws CloudMwException {
        if (task instanceof Task.Copy copy) {
            if (deleting.containsKey(copy.copy())) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED, copy.copy() + ": another task is still deleting this copy");
            }
            long written = new ChunkCopier(copy, resolver, spool, findings, () -> ticker.nanos() - endNanos >= 0).run();
            metrics.copied(written);
            return written;
        }
        StoreId store = task.store().id();
        Optional<ErrorCode> fault = CopyVerifier.fault(resolver.open(store), task.chunk(), findings);
        fault.ifPresent(code -> findings.note(task.chunk().id(), store, code));
        long bytes = task.chunk().range().length();
        metrics.verified(bytes);
        return bytes;
    }

    /** Runs a task about many copies in one store: a listing, a lookup or a deletion. */
    private TaskResult swept(long number, Task task, long endNanos) throws CloudMwException {
        ChunkStore store = stores.own(task.store());
        Page<StoredChunk> page = new Page<>(List.of(), "");
        long bytes = 0;
        if (task instanceof Task.Survey survey) {
            page = store.list(survey.after(), Task.Survey.PAGE);
        } else if (task instanceof Task.Look look) {
            page = new Page<>(
                    new ChunkLookup(store)
                            .run(look.chunks()).stream()
                                    .map(chunk -> new StoredChunk(chunk, 0))
                                    .toList(),
                    "");
        } else if (task instanceof Task.Delete delete) {
            bytes = deleted(delete, store, endNanos);
        }
        return new TaskResult(number, Optional.empty(), "", bytes, List.of(), Optional.empty(), page);
    }

    private long deleted(Task.Delete task, ChunkStore store, long endNanos) throws CloudMwException {
        task.keys().forEach(copy -> deleting.merge(copy, 1, Integer::sum));
        try {
            long bytes = new ChunkDeleter(store, () -> ticker.nanos() - endNanos >= 0).run(task.chunks());
            metrics.deleted(task.chunks().size(), bytes);
            return bytes;
        } finally {
            task.keys().forEach(copy -> deleting.computeIfPresent(copy, (key, tasks) -> tasks == 1 ? null : tasks - 1));
        }
    }

    private TaskResult failure(long number, ErrorCode code, String message, TaskFindings findings) {
        metrics.failed(code);
        return new TaskResult(number, Optional.of(code), message, 0, findings.faults(), findings.blamed());
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
