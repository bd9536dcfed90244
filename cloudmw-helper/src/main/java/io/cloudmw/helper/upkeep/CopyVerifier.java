package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/** The verifier of copies: it checks CRC32C and SHA-256 of every leaf, and the length. Blocks. */
final class CopyVerifier {
    private CopyVerifier() {}

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
