package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.FileSource;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.LeafVerifier;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.upkeep.task.Task;
import io.cloudmw.helper.fetch.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one copy of a chunk. Every leaf's CRC32C and SHA-256 are checked before a byte of it is put anywhere; a source that is
 * bad is reported and the next one is read. What the store has already is checked the same way, and replaced if it is wrong.
 */
final class CopyRunner {
    private static final Logger LOG = LoggerFactory.getLogger(CopyRunner.class);
    private static final long SPOOL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Task.Copy task;
    private final StoreResolver stores;
    private final Spool spool;
    private final List<ReplicaReport> faults = new ArrayList<>();

    CopyRunner(Task.Copy task, StoreResolver stores, Spool spool) {
        this.task = task;
        this.stores = stores;
        this.spool = spool;
    }

    /** What was found out about the sources so far. */
    List<ReplicaReport> faults() {
        return List.copyOf(faults);
    }

    /**
     * Makes it.
     *
     * @return bytes that were written; 0 when a right copy was there
     */
    long run() throws CloudMwException {
        Chunk chunk = task.chunk();
        ChunkStore target = stores.open(task.store().id());
        boolean present = target.length(chunk.id()).isPresent();
        if (present && isRight(target)) {
            return 0;
        }
        long length = chunk.range().length();
        try (Spool.SpoolFile file = spool.create(length, SPOOL_WAIT_NANOS)) {
            fetch(file);
            if (present) {
                // Who reads the wrong copy finds none while it is replaced, and reads another.
                target.delete(chunk.id());
            }
            return target.put(chunk.id(), new FileSource(file.channel(), length)) == PutOutcome.WRITTEN ? length : 0;
        }
    }

    private boolean isRight(ChunkStore target) throws CloudMwException {
        try {
            read(target, new CheckedLeaves(task.chunk(), LeafTarget.discarding(scratch())));
            return target.length(task.chunk().id())
                    .equals(OptionalLong.of(task.chunk().range().length()));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.REPLICA_CORRUPT || e.code() == ErrorCode.REPLICA_MISSING) {
                return false;
            }
            throw e;
        }
    }

    private void fetch(Spool.SpoolFile file) throws CloudMwException {
        CloudMwException last = new CloudMwException(
                ErrorCode.REPLICA_MISSING, "chunk=" + task.chunk().id() + ": no source was named");
        for (Store source : task.sources()) {
            try {
                LeafTarget kept = LeafTarget.file(file.channel(), 0, scratch());
                read(stores.open(source.id()), new CheckedLeaves(task.chunk(), kept));
                return;
            } catch (CloudMwException e) {
                LOG.debug("chunk={} store={}: no source: {}", task.chunk().id(), source.id(), e.getMessage());
                note(source, e.code());
                last = e;
            }
        }
        throw last;
    }

    private void note(Store source, ErrorCode code) {
        if (code == ErrorCode.REPLICA_CORRUPT || code == ErrorCode.REPLICA_MISSING) {
            ReplicaState state = code == ErrorCode.REPLICA_CORRUPT ? ReplicaState.CORRUPT : ReplicaState.MISSING;
            faults.add(new ReplicaReport(task.chunk().id(), source.id(), state));
        }
    }

    private void read(ChunkStore store, LeafTarget leaves) throws CloudMwException {
        new LeafVerifier(store, LeafRange.whole(task.chunk())).run(leaves, bytes -> {});
    }

    private ByteBuffer scratch() {
        return ByteBuffer.allocate(task.chunk().leafSizeBytes());
    }
}
