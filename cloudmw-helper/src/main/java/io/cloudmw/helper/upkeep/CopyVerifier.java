package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The verifier of copies: it checks CRC32C and SHA-256 of every leaf, and the length. Blocks. */
final class CopyVerifier {
    private static final Logger LOG = LoggerFactory.getLogger(CopyVerifier.class);

    private CopyVerifier() {}

    /** Reads the chunk of a task into a file, verified, from the first source that has it; notes bad sources. */
    static void fetch(Task.FromSources task, StoreResolver stores, Spool.SpoolFile file, TaskFindings findings)
            throws CloudMwException {
        Chunk chunk = task.chunk();
        CloudMwException last =
                new CloudMwException(ErrorCode.REPLICA_MISSING, "chunk=" + chunk.id() + ": the task names no source");
        for (Store source : task.sources()) {
            try {
                LeafTarget kept = LeafTarget.file(file.channel(), 0, scratch(chunk));
                read(stores.open(source.id()), chunk, kept, findings);
                return;
            } catch (CloudMwException e) {
                LOG.debug("chunk={} store={}: no source: {}", chunk.id(), source.id(), e.getMessage());
                findings.note(chunk.id(), source.id(), e.code());
                last = e;
            }
        }
        throw last;
    }

    /** Reads a whole chunk and passes its verified leaves on. */
    static void read(ChunkStore store, Chunk chunk, LeafTarget leaves, TaskFindings findings) throws CloudMwException {
        StoreLeafVerifier reading = new StoreLeafVerifier(store, LeafRange.whole(chunk));
        try {
            reading.run(new VerifyingLeafTarget(chunk, leaves), bytes -> {});
        } finally {
            findings.read(reading.bytesRead());
        }
    }

    static ByteBuffer scratch(Chunk chunk) {
        return ByteBuffer.allocate(chunk.leafSizeBytes());
    }

    /**
     * Verifies a store's copy.
     *
     * @return {@code REPLICA_MISSING} or {@code REPLICA_CORRUPT}; empty when the copy is good
     * @throws CloudMwException when the copy could not be verified
     */
    static Optional<ErrorCode> fault(ChunkStore store, Chunk chunk, TaskFindings findings) throws CloudMwException {
        try {
            read(store, chunk, LeafTarget.discarding(scratch(chunk)), findings);
            OptionalLong expected = OptionalLong.of(chunk.range().length());
            return store.length(chunk.id()).equals(expected)
                    ? Optional.empty()
                    : Optional.of(ErrorCode.REPLICA_CORRUPT);
        } catch (CloudMwException e) {
            if (e.code().isOfReplica()) {
                return Optional.of(e.code());
            }
            throw e;
        }
    }
}
