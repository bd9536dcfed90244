package io.cloudmw.core.cache;

import io.cloudmw.core.model.chunk.ChunkId;

/**
 * The key of one leaf, valid for ever: a chunk never changes, and neither does how it is cut.
 *
 * @param leaf counts the chunk's leaves from 0
 */
public record LeafKey(ChunkId chunk, int leaf) {
    public LeafKey {
        if (leaf < 0) {
            throw new IllegalArgumentException("leaf: " + leaf + " (expected: >= 0)");
        }
    }

    /** The form for messages. */
    @Override
    public String toString() {
        return chunk + "[" + leaf + "]";
    }
}
