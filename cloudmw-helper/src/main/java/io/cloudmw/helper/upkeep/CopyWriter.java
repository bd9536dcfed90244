package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.FileChunkSource;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.helper.block.Spool;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The writer of one copy of a chunk. The writer verifies a copy that the store has already, and replaces a bad one.
 * After the deadline another helper may have made a new copy, so nothing is replaced then. Confined to one thread.
 */
final class CopyWriter {
    private final ChunkStore store;
    private final StoreId target;
    private final Chunk chunk;
    private final TaskFindings findings;
    private final BooleanSupplier isOver;

    /** @param isOver whether the task's deadline has passed */
    CopyWriter(ChunkStore store, StoreId target, Chunk chunk, TaskFindings findings, BooleanSupplier isOver) {
        this.store = store;
        this.target = target;
        this.chunk = chunk;
        this.findings = findings;
        this.isOver = isOver;
    }

    /** Returns whether the store has a good copy. */
    boolean isGood() throws CloudMwException {
        return findings.at(
                target,
                () -> store.length(chunk.id()).isPresent()
                        && CopyVerifier.fault(store, chunk, findings).isEmpty());
    }

    /**
     * Writes the copy.
     *
     * @param file begins with the chunk's bytes
     * @return bytes written; 0 when the store had a good copy
     */
    long write(Spool.SpoolFile file) throws CloudMwException {
        return findings.at(target, () -> put(file, chunk.range().length()));
    }

    private long put(Spool.SpoolFile file, long length) throws CloudMwException {
        if (store.length(chunk.id()).isPresent()) {
            if (isGood()) {
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
}
