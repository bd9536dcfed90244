package io.cloudmw.client.write;

import io.cloudmw.client.manifest.BaseChunks;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A change of part of a file that is ready to be put: the put's source has every byte that the base does not provide.
 *
 * @param changed the chunks that are written
 */
public record PreparedEdit(EditParameters begun, ChangedChunks changed) {
    /** The chunks that the base provides. */
    public BaseChunks base(CoordinatorClient coordinator) {
        if (begun.base().isEmpty()) {
            return BaseChunks.NONE;
        }
        FileVersion base = begun.base().get();
        return new BaseChunks() {
            @Override
            public int count(long firstIndex, int chunks) {
                return Math.toIntExact(chunks - changed.among(firstIndex, firstIndex + chunks));
            }

            @Override
            public CompletableFuture<List<Chunk>> of(int segment) {
                return coordinator
                        .segment(base, segment, false)
                        .thenApply(planned -> planned.chunks().stream()
                                .map(PlannedChunk::inManifest)
                                .filter(chunk -> !changed.contains(chunk.index()))
                                .toList());
            }
        };
    }
}
