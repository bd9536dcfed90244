package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A task that deletes copies, but none after its deadline, when another helper may have made them again. */
final class ChunkDeleter {
    private final ChunkStore store;
    private final BooleanSupplier isOver;

    ChunkDeleter(ChunkStore store, BooleanSupplier isOver) {
        this.store = store;
        this.isOver = isOver;
    }

    /**
     * Deletes the copies that the store has.
     *
     * @return their bytes
     * @throws CloudMwException {@code DEADLINE_EXCEEDED}, or the failure of the store; earlier copies are deleted then
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
