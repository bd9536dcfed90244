package io.cloudmw.client.manifest;

import io.cloudmw.core.model.chunk.Chunk;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The chunks that a new version takes over from the version it changes, and from those it continues. */
public interface BaseChunks {
    /** For a version without a base. */
    BaseChunks NONE = new BaseChunks() {
        @Override
        public int count(long firstIndex, int chunks) {
            return 0;
        }

        @Override
        public CompletableFuture<List<Chunk>> of(int segment) {
            return CompletableFuture.completedFuture(List.of());
        }
    };

    /** The number of chunks, of so many from this one on, that are taken over. */
    int count(long firstIndex, int chunks);

    /** The chunks of one segment that are taken over. */
    CompletableFuture<List<Chunk>> of(int segment);
}
