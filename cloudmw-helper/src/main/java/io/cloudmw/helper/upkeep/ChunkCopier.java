package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.FileChunkSource;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that makes one copy of a chunk. The task verifies every leaf's CRC32C and SHA-256 before it puts the chunk.
 * The task reports a bad source and reads the next one. The task verifies a copy that the store has already, and
 * replaces a bad one. After the deadline another helper may have made a new copy, so nothing is replaced then. Confined
 * to one thread.
 */
final class ChunkCopier {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkCopier.class);
    private static final long SPOOL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Task.Copy task;
    private final Chunk chunk;
    private final StoreId target;
    private final StoreResolver stores;
    private final Spool spool;
    private final TaskFindings findings;
    private final BooleanSupplier isOver;

    /** @param isOver whether the task's deadline has passed */
    ChunkCopier(Task.Copy task, StoreResolver stores, Spool spool, TaskFindings findings, BooleanSupplier isOver) {
        this.task = task;
        this.chunk = task.chunk();
        this.target = task.store().id();
        this.stores = stores;
        this.spool = spool;
        this.findings = findings;
        this.isOver = isOver;
    }

    /**
     * Makes the copy.
     *
     * @return bytes written; 0 when the store had a good copy
     */
    long run() throws CloudMwException {
        ChunkStore store = findings.at(target, () -> stores.open(target));
        if (isGood(store)) {
            return 0;
        }
        long length = chunk.range().length();
        try (Spool.SpoolFile file = spool.create(length, SPOOL_WAIT_NANOS)) {
            fetch(file);
            return findings.at(target, () -> put(store, file, length));
        }
    }

    private long put(ChunkStore store, Spool.SpoolFile file, long length) throws CloudMwException {
        if (store.length(chunk.id()).isPresent()) {
            if (isGood(store)) {
                return 0;
            }
            // A reader of the bad copy finds none while it is replaced, and reads another one.
            store.delete(chunk.id(), isOver);
        }
        if (store.put(chunk.id(), FileChunkSource.of(file.channel(), length)) == PutOutcome.WRITTEN) {
            return length;
        }
        Optional<ErrorCode> fault = CopyVerifier.fault(store, chunk, findings);
        if (fault.isPresent()) {
            throw new CloudMwException(
                    fault.get(),
                    "chunk=" + chunk.id() + " store=" + target + ": another process wrote a bad copy at the same time");
        }
        return 0;
    }

    private boolean isGood(ChunkStore store) throws CloudMwException {
        return findings.at(
                target,
                () -> store.length(chunk.id()).isPresent()
                        && CopyVerifier.fault(store, chunk, findings).isEmpty());
    }

    private void fetch(Spool.SpoolFile file) throws CloudMwException {
        CloudMwException last =
                new CloudMwException(ErrorCode.REPLICA_MISSING, "chunk=" + chunk.id() + ": the task names no source");
        for (Store source : task.sources()) {
            try {
                LeafTarget kept = LeafTarget.file(file.channel(), 0, CopyVerifier.scratch(chunk));
                CopyVerifier.read(stores.open(source.id()), chunk, kept, findings);
                return;
            } catch (CloudMwException e) {
                LOG.debug("chunk={} store={}: no source: {}", chunk.id(), source.id(), e.getMessage());
                findings.note(chunk.id(), source.id(), e.code());
                last = e;
            }
        }
        throw last;
    }
}
