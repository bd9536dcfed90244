package io.cloudmw.client.read.peer;

import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;

/**
 * The part of a chunk that a read still has to fetch.
 *
 * @param kept bytes of the chunk that an earlier get had left
 * @param fromPeers bytes of the chunk that peers have brought
 * @param missing the range of leaves in the chunk that is still missing
 */
public record ChunkPart(ManifestReader.Item item, long kept, long fromPeers, ByteRange missing) {
    public Chunk chunk() {
        return item.chunk().chunk();
    }

    /** Returns whether the whole chunk is missing. */
    public boolean isWhole() {
        return missing.length() == chunk().range().length();
    }

    /** The same part after peers have brought its first bytes. */
    ChunkPart without(long first) {
        return new ChunkPart(
                item, kept, fromPeers + first, new ByteRange(missing.offset() + first, missing.length() - first));
    }
}
