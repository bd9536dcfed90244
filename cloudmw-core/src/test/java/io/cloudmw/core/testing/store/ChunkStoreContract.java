package io.cloudmw.core.testing.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
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
 * What a store must do. One small subclass per implementation says how to make one and which capabilities it
 * has; a store without a capability must refuse it, which is tested in its place.
 */
public abstract class ChunkStoreContract {
    private static final int SIZE = 300_000;

    private ChunkStore store;
    private final byte[] content = Chunks.bytes(1, SIZE);

    /** A store that has no chunks; closed by the suite. */
    protected abstract ChunkStore create() throws Exception;

    /** Whether puts and deletes are possible. */
    protected boolean writes() {
        return true;
    }

    /** Whether chunks are files of this machine. */
    protected boolean hasFiles() {
        return false;
    }

    /** Puts a chunk there for the tests that read; behind its back when the store is for reading only. */
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

        assertThat(Chunks.read(store, chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void anyRangeOfAChunkReadsAsThatRange() throws Exception {
        ChunkId chunk = seeded(content);
        Random random = new Random(42);

        for (int i = 0; i < 12; i++) {
            int from = random.nextInt(SIZE);
            int length = 1 + random.nextInt(SIZE - from);
            assertThat(Chunks.read(store, chunk, from, length))
                    .as("[%d, +%d)", from, length)
                    .isEqualTo(Arrays.copyOfRange(content, from, from + length));
        }
        assertThat(Chunks.read(store, chunk, SIZE - 1, 1)).containsExactly(content[SIZE - 1]);
    }

    @Test
    void anEmptyRangeIsAtItsEnd() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(Chunks.read(store, chunk, 0, 0)).isEmpty();
        assertThat(Chunks.read(store, chunk, SIZE, 0)).isEmpty();
    }

    @Test
    void anEmptyChunkIsAChunk() throws Exception {
        ChunkId chunk = seeded(new byte[0]);

        assertThat(store.length(chunk)).hasValue(0);
        assertThat(Chunks.read(store, chunk, 0, 0)).isEmpty();
    }

    @Test
    void readingFillsHeapAndDirectBuffersFromTheirPositionOnly() throws Exception {
        ChunkId chunk = seeded(content);

        for (ByteBuffer buffer : List.of(ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64))) {
            buffer.position(5).limit(20);
            try (ChunkReader reader = store.read(chunk, new ByteRange(100, 50))) {
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
        ChunkId chunk = Chunks.id();

        assertThat(store.length(chunk)).isEmpty();
        CloudMwException failure = failure(() -> Chunks.read(store, chunk, 0, 1));
        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(failure)
                .hasMessageContaining(chunk.toString())
                .hasMessageContaining(store.id().value());
    }

    @Test
    void aRangeBeyondTheChunkIsRefused() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(failure(() -> Chunks.read(store, chunk, 0, SIZE + 1L)).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> Chunks.read(store, chunk, SIZE, 1)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aClosedReaderIsCancelled() throws Exception {
        ChunkId chunk = seeded(content);
        ChunkReader reader = store.read(chunk, new ByteRange(0, SIZE));
        assertThat(reader.read(ByteBuffer.allocate(10))).isPositive();

        reader.close();
        reader.close();

        assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void aReaderClosedBeforeItsFirstReadIsCancelled() throws Exception {
        ChunkId chunk = seeded(content);
        ChunkReader reader = store.read(chunk, new ByteRange(0, SIZE));

        reader.close();

        assertThat(failure(() -> reader.read(ByteBuffer.allocate(10))).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void manyThreadsReadAtOnce() throws Exception {
        ChunkId chunk = seeded(content);
        List<Callable<byte[]>> reads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            reads.add(() -> Chunks.read(store, chunk, 0, SIZE));
        }

        for (byte[] read : together(reads)) {
            assertThat(read).isEqualTo(content);
        }
    }

    @Test
    void aClosedStoreIsUnavailable() throws Exception {
        ChunkId chunk = seeded(content);
        store.close();
        store.close();

        assertThat(failure(() -> Chunks.read(store, chunk, 0, 1)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aFileHoldsExactlyTheChunk() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(store.file(chunk).isPresent()).isEqualTo(hasFiles());
        assertThat(store.file(Chunks.id())).isEmpty();
        if (hasFiles()) {
            assertThat(Files.readAllBytes(store.file(chunk).orElseThrow())).isEqualTo(content);
        }
    }

    @Test
    void aSecondPutChangesNothing() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(store.put(chunk, Chunks.source(Chunks.bytes(2, SIZE)))).isEqualTo(PutOutcome.EXISTED);
        assertThat(Chunks.read(store, chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void ofManyWritersAtOnceOneWrites() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        List<Callable<PutOutcome>> puts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            puts.add(() -> store.put(chunk, Chunks.source(content)));
        }

        assertThat(together(puts)).containsOnlyOnce(PutOutcome.WRITTEN);
        assertThat(Chunks.read(store, chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void aSourceThatIsTooShortOrTooLongLeavesNoChunk() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(failure(() -> store.put(chunk, Chunks.source(content, SIZE + 1L)))
                        .code())
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure(() -> store.put(chunk, Chunks.source(content, SIZE - 1L)))
                        .code())
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(store.length(chunk)).isEmpty();
    }

    @Test
    void aSourceThatBreaksLeavesNoChunk() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        CloudMwException failure = failure(() -> store.put(chunk, Chunks.brokenSource(content, SIZE + 1L)));

        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure).hasMessageContaining("the source broke");
        assertThat(store.length(chunk)).isEmpty();
        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
    }

    @Test
    void aDeletedChunkIsGone() throws Exception {
        ChunkId chunk = seeded(content);
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(store.delete(chunk)).isTrue();
        assertThat(store.delete(chunk)).isFalse();
        assertThat(store.length(chunk)).isEmpty();
        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
    }

    @Test
    void listingGivesEveryChunkOnceInOrderOfNames() throws Exception {
        if (refusesWrites(Chunks.id())) {
            return;
        }
        List<ChunkId> chunks = new ArrayList<>();
        for (String version : List.of("ff", "00", "0f", "7a", "7a")) {
            VersionId id = new VersionId(version + VersionId.random().value().substring(2));
            chunks.add(new ChunkId(id, 0));
            chunks.add(new ChunkId(id, 1));
        }
        for (ChunkId chunk : chunks) {
            store.put(chunk, Chunks.source(new byte[] {1}));
        }

        for (int limit : List.of(1, 3, 5, 10, 1000)) {
            assertThat(listAll(limit)).as("limit %d", limit).isEqualTo(sorted(chunks));
        }
    }

    @Test
    void aListingOfNothingIsOneEmptyPage() throws Exception {
        if (refusesWrites(Chunks.id())) {
            return;
        }
        Page<ChunkId> page = store.list("", 10);

        assertThat(page.items()).isEmpty();
        assertThat(page.isLast()).isTrue();
    }

    @Test
    void aListingsArgumentsAreChecked() {
        if (!writes()) {
            return;
        }
        assertThat(failure(() -> store.list("", 0)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> store.list("", 1001)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> store.list("../..", 1)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    /** The failure of {@code call}, which must be one of ours. */
    protected static CloudMwException failure(ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure).as("must fail").isNotNull();
        return failure;
    }

    /** Stores a chunk of these bytes. */
    protected final ChunkId seeded(byte[] bytes) throws Exception {
        ChunkId chunk = Chunks.id();
        seed(store, chunk, bytes);
        return chunk;
    }

    /** True for a store that only reads, after checking that it says so. */
    private boolean refusesWrites(ChunkId chunk) {
        if (writes()) {
            return false;
        }
        assertThat(failure(() -> store.put(chunk, Chunks.source(content))).code())
                .isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(failure(() -> store.delete(chunk)).code()).isEqualTo(ErrorCode.STORE_DENIED);
        return true;
    }

    private List<ChunkId> listAll(int limit) throws IOException {
        List<ChunkId> all = new ArrayList<>();
        String token = "";
        do {
            Page<ChunkId> page = store.list(token, limit);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
            all.addAll(page.items());
            token = page.nextToken();
        } while (!token.isEmpty());
        return all;
    }

    private static List<ChunkId> sorted(List<ChunkId> chunks) {
        return chunks.stream()
                .map(ChunkId::toString)
                .sorted()
                .map(ChunkId::parse)
                .toList();
    }

    private static <T> List<T> together(List<Callable<T>> calls) throws Exception {
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
