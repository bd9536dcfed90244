package io.cloudmw.client.read.peer;

import io.cloudmw.client.manifest.ManifestReader;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Chunk;

/**
 * The part of a chunk that a read still has to fetch.
 *
 * @param kept bytes of it that were there already
 * @param fromPeers bytes of it that peers have brought
 * @param missing the leaves, in the chunk, that are to come
 */
public record ChunkPart(ManifestReader.Item item, long kept, long fromPeers, ByteRange missing) {
    public Chunk chunk() {
        return item.chunk().chunk();
    }

    /** Whether all of the chunk is to come. */
    public boolean isWhole() {
        return missing.length() == chunk().range().length();
    }

    /** The same after peers have brought its first bytes. */
    ChunkPart without(long first) {
        return new ChunkPart(
                item, kept, fromPeers + first, new ByteRange(missing.offset() + first, missing.length() - first));
    }
}
