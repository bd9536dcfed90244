package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Deletes copies, none after the task's time: then somebody may have made them anew. */
final class ChunkDeleter {
    private final ChunkStore store;
    private final BooleanSupplier isOver;

    ChunkDeleter(ChunkStore store, BooleanSupplier isOver) {
        this.store = store;
        this.isOver = isOver;
    }

    /**
     * Deletes those that are there.
     *
     * @return their bytes
     * @throws CloudMwException {@code DEADLINE_EXCEEDED}, and what the store fails with: those before are deleted
     */
    long run(List<ChunkId> chunks) throws CloudMwException {
        long bytes = 0;
        for (ChunkId chunk : chunks) {
            long length = store.length(chunk).orElse(0);
            bytes += store.delete(chunk, isOver) ? length : 0;
        }
        return bytes;
    }
}
