package io.cloudmw.core.testing.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import org.junit.jupiter.api.Test;

final class MemoryChunkStoreTest extends ChunkStoreContract {
    private static final int CAPACITY = 1_000_000;

    @Override
    protected ChunkStore create() {
        return new MemoryChunkStore(new StoreId("memory"), CAPACITY);
    }

    @Test
    void storeIsFullAtItsCapacityAndHasRoomAfterADelete() throws Exception {
        ChunkId chunk = seeded(new byte[CAPACITY]);

        assertThat(failure(() -> store().put(Chunks.id(), Chunks.source(new byte[1])))
                        .code())
                .isEqualTo(ErrorCode.STORE_FULL);
        store().delete(chunk);
        seeded(new byte[CAPACITY]);
    }
}
