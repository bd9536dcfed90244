package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * A chunk of one version of a file. A chunk that another version wrote has the index of that version in its id.
 *
 * @param index 0-based position in the file
 * @param range the bytes of the file that it holds
 * @param leafSizeBytes the chunk is verified in leaves of this size; the last may be shorter
 * @param replicas the stores its replicas were placed in, in the paper's order: the i-th replica
 */
public record Chunk(
        long index, ChunkId id, ByteRange range, int leafSizeBytes, LeafDigests leaves, List<StoreId> replicas) {
    public Chunk {
        replicas = List.copyOf(replicas);
        if (id.slice().isPresent() && id.slice().get().length() != range.length()) {
            throw new IllegalArgumentException(
                    "chunk " + id + ": " + range.length() + " bytes (expected: those of its slice)");
        }
        if (leaves.count() != leafCount(range.length(), leafSizeBytes)) {
            throw new IllegalArgumentException("leaves: " + leaves.count() + " (expected: "
                    + leafCount(range.length(), leafSizeBytes) + " for " + range.length() + " bytes)");
        }
    }

    /** The same chunk with its replicas in these stores. */
    public Chunk at(List<StoreId> stores) {
        return new Chunk(index, id, range, leafSizeBytes, leaves, stores);
    }

    /** The same bytes of the file, stored as another chunk. */
    public Chunk storedAs(ChunkId other, List<StoreId> stores) {
        return new Chunk(index, other, range, leafSizeBytes, leaves, stores);
    }

    /** The same chunk at another place of a file. */
    public Chunk placedAt(long newIndex, long offsetBytes) {
        ByteRange moved = new ByteRange(offsetBytes, range.length());
        return new Chunk(newIndex, id, moved, leafSizeBytes, leaves, replicas);
    }

    /** The number of leaves in {@code length} bytes. */
    public static int leafCount(long length, int leafSizeBytes) {
        return Math.toIntExact((length + leafSizeBytes - 1) / leafSizeBytes);
    }
}
