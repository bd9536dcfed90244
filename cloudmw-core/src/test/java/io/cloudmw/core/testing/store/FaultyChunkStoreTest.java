package io.cloudmw.core.testing.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.FaultyChunkStore.Fault;
import io.cloudmw.core.testing.store.FaultyChunkStore.Script;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class FaultyChunkStoreTest extends ChunkStoreContract {
    private final ChunkStore memory = new MemoryChunkStore(new StoreId("faulty"), 64 << 20);
    private final byte[] content = Chunks.bytes(1, 1000);

    @Override
    protected ChunkStore create() {
        return new FaultyChunkStore(memory, Script.none());
    }

    @Test
    void exactlyOneByteIsFlipped() throws Exception {
        ChunkId chunk = seeded(content);

        byte[] got = Chunks.read(faulty(Fault.corrupt(600)), chunk, 100, 900);

        byte[] expected = java.util.Arrays.copyOfRange(content, 100, 1000);
        expected[600] ^= 1;
        assertThat(got).isEqualTo(expected);
    }

    @Test
    void aStreamFailsWhereItIsToldTo() throws Exception {
        ChunkId chunk = seeded(content);
        ByteBuffer target = ByteBuffer.allocate(1000);
        try (ChunkReader reader =
                faulty(Fault.failAt(600, ErrorCode.STORE_DENIED)).read(chunk, new ByteRange(0, 1000))) {
            assertThat(failure(() -> {
                                while (target.hasRemaining()) {
                                    reader.read(target);
                                }
                            })
                            .code())
                    .isEqualTo(ErrorCode.STORE_DENIED);
        }
        assertThat(target.position()).isEqualTo(600);
    }

    @Test
    void aStallEndsWithTheInterruptOfItsReader() throws Exception {
        ChunkId chunk = seeded(content);
        try (ChunkReader reader = faulty(Fault.stallAt(0)).read(chunk, new ByteRange(0, 1000))) {
            Thread.currentThread().interrupt();
            assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code())
                    .isEqualTo(ErrorCode.CANCELLED);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private ChunkStore faulty(Fault fault) {
        return new FaultyChunkStore(memory, Script.always(fault));
    }
}
