package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * One chunk of one version of a file.
 *
 * @param index 0-based position in the file
 * @param range which bytes of the file it holds
 * @param leafSizeBytes the chunk is verified in leaves of this size; the last may be shorter
 * @param replicas where its copies were placed, in the paper's order: the i-th replica
 */
public record Chunk(
        long index, ChunkId id, ByteRange range, int leafSizeBytes, LeafDigests leaves, List<StoreId> replicas) {
    public Chunk {
        replicas = List.copyOf(replicas);
        if (leaves.count() != leafCount(range.length(), leafSizeBytes)) {
            throw new IllegalArgumentException("leaves: " + leaves.count() + " (expected: "
                    + leafCount(range.length(), leafSizeBytes) + " for " + range.length() + " bytes)");
        }
    }

    /** The same chunk with its copies elsewhere. */
    public Chunk at(List<StoreId> stores) {
        return new Chunk(index, id, range, leafSizeBytes, leaves, stores);
    }

    /** Leaves that {@code length} bytes are cut into. */
    public static int leafCount(long length, int leafSizeBytes) {
        return Math.toIntExact((length + leafSizeBytes - 1) / leafSizeBytes);
    }
}
