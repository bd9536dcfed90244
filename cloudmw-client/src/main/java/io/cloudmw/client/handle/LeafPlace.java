package io.cloudmw.client.handle;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;
import io.cloudmw.core.placement.PlannedChunk;

/**
 * A leaf and how it is planned to be read.
 *
 * @param map the plan
 * @param leaf counts the chunk's leaves from 0
 */
record LeafPlace(FileMap map, PlannedChunk planned, int leaf) {
    /** The leaf that holds a byte of the file. */
    static LeafPlace at(FileMap map, PlannedChunk planned, long position) {
        Chunk chunk = planned.chunk();
        return new LeafPlace(
                map, planned, Math.toIntExact((position - chunk.range().offset()) / chunk.leafSizeBytes()));
    }

    Chunk chunk() {
        return planned.chunk();
    }

    LeafKey key() {
        return new LeafKey(chunk().id(), leaf);
    }

    int length() {
        return Math.toIntExact(inChunk().length());
    }

    /** Its bytes in the chunk. */
    ByteRange inChunk() {
        long from = (long) leaf * chunk().leafSizeBytes();
        return new ByteRange(
                from, Math.min(chunk().leafSizeBytes(), chunk().range().length() - from));
    }

    /** Its bytes in the file. */
    ByteRange inFile() {
        return new ByteRange(chunk().range().offset() + inChunk().offset(), length());
    }

    int crc32c() {
        return chunk().leaves().crc32c()[leaf];
    }

    /** For messages. */
    @Override
    public String toString() {
        return "chunk=" + chunk().id() + " leaf=" + leaf;
    }
}
