package io.cloudmw.core.model.chunk;

/**
 * A chunk that lies in a store.
 *
 * @param bytes its length there; 0 when it is not known
 */
public record StoredChunk(ChunkId id, long bytes) {
    public StoredChunk {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
    }
}
