package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A task that makes one copy of a chunk. The task verifies every leaf's CRC32C and SHA-256 before it puts the chunk.
 * The task reports a bad source and reads the next one. The task verifies a copy that the store has already, and
 * replaces a bad one. After the deadline another helper may have made a new copy, so nothing is replaced then. Confined
 * to one thread.
 */
final class ChunkCopier {
    static final long SPOOL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

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
        CopyWriter writer = new CopyWriter(store, target, chunk, findings, isOver);
        if (writer.isGood()) {
            return 0;
        }
        try (Spool.SpoolFile file = spool.create(chunk.range().length(), SPOOL_WAIT_NANOS)) {
            CopyVerifier.fetch(task, stores, file, findings);
            return writer.write(file);
        }
    }
}
