package io.cloudmw.core.testing.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of reading from a store, also for stores that have only some chunks. Each implementation has one small
 * subclass that makes one.
 */
public abstract class ChunkReadingContract {
    private static final int SIZE = 300_000;

    private final byte[] content = Chunks.bytes(1, SIZE);
    private ChunkStore store;

    /** A store that has no chunks; closed by the suite. */
    protected abstract ChunkStore create() throws Exception;

    /** An unused chunk; any that the store can have. */
    protected ChunkId newChunk() {
        return Chunks.id();
    }

    /** Puts a chunk into the store for tests that read; around its interface when the store is for reading only. */
    protected void seed(ChunkStore into, ChunkId chunk, byte[] bytes) throws Exception {
        into.put(chunk, Chunks.source(bytes));
    }

    /** The store under test. */
    protected final ChunkStore store() {
        return store;
    }

    @BeforeEach
    final void openStore() throws Exception {
        store = create();
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }

    @Test
    void aChunkReadsBackAsItWasPut() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(Chunks.read(store(), chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void anyRangeOfAChunkReadsAsThatRange() throws Exception {
        ChunkId chunk = seeded(content);
        Random random = new Random(42);

        for (int i = 0; i < 12; i++) {
            int from = random.nextInt(SIZE);
            int length = 1 + random.nextInt(SIZE - from);
            assertThat(Chunks.read(store(), chunk, from, length))
                    .as("[%d, +%d)", from, length)
                    .isEqualTo(Arrays.copyOfRange(content, from, from + length));
        }
        assertThat(Chunks.read(store(), chunk, SIZE - 1, 1)).containsExactly(content[SIZE - 1]);
    }

    @Test
    void readingAheadGoesOverTheSameBytesToTheSameEnd() throws Exception {
        ChunkId chunk = seeded(content);
        ByteBuffer buffer = ByteBuffer.allocateDirect(70_000);

        try (ChunkReader reader = store().readAhead(chunk, new ByteRange(100, SIZE - 100))) {
            int sum = 0;
            for (int read = reader.read(buffer); read >= 0; read = reader.read(buffer.clear())) {
                assertThat(read).isEqualTo(buffer.position()).isPositive();
                sum += read;
            }
            assertThat(sum).isEqualTo(SIZE - 100);
        }
    }

    @Test
    void readingAheadFailsAsReadingDoes() throws Exception {
        ChunkId chunk = seeded(content);
        ByteBuffer buffer = ByteBuffer.allocateDirect(10);

        assertThat(failure(() -> readAhead(newChunk(), new ByteRange(0, 1), buffer))
                        .code())
                .isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(failure(() -> readAhead(chunk, new ByteRange(SIZE - 1, 2), buffer))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        ChunkReader closed = store().readAhead(chunk, new ByteRange(0, SIZE));
        closed.close();
        assertThat(failure(() -> closed.read(buffer)).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    private void readAhead(ChunkId chunk, ByteRange range, ByteBuffer buffer) throws CloudMwException {
        try (ChunkReader reader = store().readAhead(chunk, range)) {
            reader.read(buffer);
        }
    }

    @Test
    void anEmptyRangeIsAtItsEnd() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(Chunks.read(store(), chunk, 0, 0)).isEmpty();
        assertThat(Chunks.read(store(), chunk, SIZE, 0)).isEmpty();
    }

    @Test
    void readingFillsHeapAndDirectBuffersFromTheirPositionOnly() throws Exception {
        ChunkId chunk = seeded(content);

        for (ByteBuffer buffer : List.of(ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64))) {
            buffer.position(5).limit(20);
            try (ChunkReader reader = store().read(chunk, new ByteRange(100, 50))) {
                while (buffer.hasRemaining()) {
                    assertThat(reader.read(buffer)).isPositive();
                }
            }
            assertThat(buffer.limit()).isEqualTo(20);
            byte[] got = new byte[15];
            buffer.get(5, got);
            assertThat(got).isEqualTo(Arrays.copyOfRange(content, 100, 115));
            buffer.clear();
            assertThat(buffer.get(4)).isZero();
            assertThat(buffer.get(20)).isZero();
        }
    }

    @Test
    void aMissingChunkIsNamed() throws Exception {
        ChunkId chunk = newChunk();

        CloudMwException failure = failure(() -> Chunks.read(store(), chunk, 0, 1));
        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(failure)
                .hasMessageContaining(chunk.toString())
                .hasMessageContaining(store().id().value());
    }

    @Test
    void aRangeBeyondTheChunkIsRefused() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(failure(() -> Chunks.read(store(), chunk, 0, SIZE + 1L)).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> Chunks.read(store(), chunk, SIZE, 1)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aClosedReaderIsCancelled() throws Exception {
        ChunkId chunk = seeded(content);
        ChunkReader reader = store().read(chunk, new ByteRange(0, SIZE));
        assertThat(reader.read(ByteBuffer.allocate(10))).isPositive();

        reader.close();
        reader.close();

        assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void aReaderClosedBeforeItsFirstReadIsCancelled() throws Exception {
        ChunkId chunk = seeded(content);
        ChunkReader reader = store().read(chunk, new ByteRange(0, SIZE));

        reader.close();

        assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void manyThreadsReadAtOnce() throws Exception {
        ChunkId chunk = seeded(content);
        List<Callable<byte[]>> reads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            reads.add(() -> Chunks.read(store(), chunk, 0, SIZE));
        }

        for (byte[] read : together(reads)) {
            assertThat(read).isEqualTo(content);
        }
    }

    /** The failure of {@code call}, which must be a {@link CloudMwException}. */
    protected static CloudMwException failure(ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("must fail").isNotNull();
        return failure;
    }

    /** Stores a chunk of these bytes. */
    protected final ChunkId seeded(byte[] bytes) throws Exception {
        ChunkId chunk = newChunk();
        seed(store, chunk, bytes);
        return chunk;
    }

    static <T> List<T> together(List<Callable<T>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> call : threads.invokeAll(calls)) {
                results.add(call.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
