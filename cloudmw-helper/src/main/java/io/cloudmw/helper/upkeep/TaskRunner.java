package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.remote.StoreDirectory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runner of upkeep tasks: it makes, verifies, lists and deletes copies. Safe for any thread; blocks. */
final class TaskRunner {
    private static final Logger LOG = LoggerFactory.getLogger(TaskRunner.class);

    private final StoreDirectory stores;
    private final Spool spool;
    private final UpkeepMetrics metrics;
    private final Ticker ticker;

    /** Copies being deleted here. A delayed deletion must not delete a copy that was put after its deadline. */
    private final Map<String, Integer> deleting = new ConcurrentHashMap<>();

    /** @param spool holds chunks while they are copied */
    TaskRunner(StoreDirectory stores, Spool spool, UpkeepMetrics metrics, Ticker ticker) {
        this.stores = stores;
        this.spool = spool;
        this.metrics = metrics;
        this.ticker = ticker;
    }

    /** Runs one task; a failure becomes a result, too. */
    TaskResult run(TaskBatch.Assignment assignment, TaskBatch batch, long endNanos, TaskFindings findings) {
        long number = assignment.number();
        Task task = assignment.task();
        if (ticker.nanos() - endNanos >= 0) {
            return failure(
                    number, ErrorCode.DEADLINE_EXCEEDED, "the task's deadline had passed before it started", findings);
        }
        try {
            if (task instanceof Task.Compact compact) {
                PackCompactor.Made made = compact(compact, resolver(compact, assignment, batch), findings, endNanos);
                return new TaskResult(number, Optional.empty(), "", made.bytes(), findings.faults(), Optional.empty())
                        .with(made.pack());
            }
            if (task instanceof Task.OfCopy copy) {
                long bytes = runCopy(copy, resolver(copy, assignment, batch), findings, endNanos);
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

    private StoreResolver resolver(Task.OfCopy task, TaskBatch.Assignment assignment, TaskBatch batch)
            throws CloudMwException {
        TransferToken token = assignment
                .token()
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.PROTOCOL_VIOLATION, "upkeep: " + task.about() + " came without a token"));
        // Other helpers see these claims; the token itself says what it allows.
        TransferClaims claims =
                new TransferClaims(task.rights(), task.file(), task.chunk().id().version(), 0);
        return stores.resolver(task.stores(), batch.helpers(), token, claims, () -> Urgency.of(Priority.REPAIR));
    }

    private PackCompactor.Made compact(Task.Compact task, StoreResolver resolver, TaskFindings findings, long endNanos)
            throws CloudMwException {
        PackCompactor.Made made =
                new PackCompactor(task, resolver, spool, findings, () -> ticker.nanos() - endNanos >= 0).run();
        metrics.copied(made.bytes());
        return made;
    }

    /** Runs a task about one copy; returns the bytes written or verified. */
    private long runCopy(Task.OfCopy task, StoreResolver resolver, TaskFindings findings, long endNanos)
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

    /** The result of a failed task. */
    TaskResult failure(long number, ErrorCode code, String message, TaskFindings findings) {
        metrics.failed(code);
        return new TaskResult(number, Optional.of(code), message, 0, findings.faults(), findings.blamed());
    }
}
