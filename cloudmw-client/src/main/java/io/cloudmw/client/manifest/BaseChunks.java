package io.cloudmw.client.manifest;

import io.cloudmw.core.model.Chunk;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The chunks that a new version takes over from the version it changes. */
public interface BaseChunks {
    /** Of a version that changes none. */
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

    /** How many of so many chunks from this one on are taken over. */
    int count(long firstIndex, int chunks);

    /** Those of one segment. */
    CompletableFuture<List<Chunk>> of(int segment);
}
