package io.cloudmw.client.transfer;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;

/**
 * What is to be fetched of a chunk.
 *
 * @param kept bytes of it that were there already
 * @param fromPeers bytes of it that peers have brought
 * @param missing the leaves, in the chunk, that are to come
 */
record Part(SegmentFeed.Item item, long kept, long fromPeers, ByteRange missing) {
    Chunk chunk() {
        return item.chunk().chunk();
    }

    /** Whether all of the chunk is to come. */
    boolean isWhole() {
        return missing.length() == chunk().range().length();
    }

    /** The same after peers have brought its first bytes. */
    Part without(long first) {
        return new Part(
                item, kept, fromPeers + first, new ByteRange(missing.offset() + first, missing.length() - first));
    }
}
