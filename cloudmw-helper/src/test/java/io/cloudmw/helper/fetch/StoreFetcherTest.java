package io.cloudmw.helper.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.IgnoringListener;
import io.cloudmw.helper.testing.StallingStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFetcherTest {
    private static final int SMALL = 10_000;
    private static final int LARGE = 20_000;

    @TempDir
    private Path directory;

    private final ByteBudget memory = new ByteBudget(SMALL);
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final ChunkId chunk = Chunks.id();
    private Spool spool;
    private StoreFetcher fetcher;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(LARGE));
        fetcher = new StoreFetcher(
                Fetches.pools(timer), new StoreFetcher.Limits(SMALL, 1), memory, spool, PooledByteBufAllocator.DEFAULT);
    }

    @AfterEach
    void stop() {
        fetcher.close();
        timer.shutdownNow();
        spool.close();
    }

    private Fetches.Ending fetch(ChunkStore store, byte[] bytes) throws CloudMwException {
        Fetches.Ending ending = new Fetches.Ending();
        fetcher.start(Fetches.requester(id -> store), Fetches.whole(chunk, bytes), Fetches.STORE, ending);
        return ending;
    }

    private ChunkStore holding(byte[] bytes) throws CloudMwException {
        ChunkStore store = new MemoryChunkStore(Fetches.STORE, 1 << 20);
        store.put(chunk, Chunks.source(bytes));
        return store;
    }

    private static void assertSends(FetchedBlock fetched, byte[] bytes) {
        FakeBulkStream stream = new FakeBulkStream();
        stream.open(new byte[0], new IgnoringListener());
        stream.allow(bytes.length);
        IntStream.range(0, fetched.block().leaves().leaves())
                .forEach(leaf -> assertThat(fetched.send(stream, leaf)).isCompleted());
        assertThat(stream.sent.toByteArray()).isEqualTo(bytes);
    }

    @Test
    void smallBlockStaysInMemoryUntilItIsClosed() throws Exception {
        byte[] bytes = Chunks.bytes(1, SMALL);
        FetchedBlock fetched = fetch(holding(bytes), bytes).block();
        assertThat(memory.usedBytes()).isEqualTo(SMALL);
        assertThat(spool.budget().usedBytes()).isZero();
        assertSends(fetched, bytes);
        fetched.close();
        fetched.close();
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void smallBlockGoesToTheSpoolWhenMemoryIsFull() throws Exception {
        byte[] bytes = Chunks.bytes(2, SMALL);
        assertThat(memory.tryTake(1)).isTrue();
        try (FetchedBlock fetched = fetch(holding(bytes), bytes).block()) {
            assertThat(spool.budget().usedBytes()).isEqualTo(SMALL);
            assertSends(fetched, bytes);
        }
        assertThat(spool.budget().usedBytes()).isZero();
    }

    @Test
    void blockWithoutRoomTimesOutAsOverloaded() throws Exception {
        byte[] bytes = Chunks.bytes(3, LARGE + 1);
        assertThat(fetch(holding(bytes), bytes).failure()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(spool.budget().usedBytes()).isZero();
    }

    /** The store has been read by then, so that closing a reader would not end the wait. */
    @Test
    void attemptThatWaitsForRoomCanBeCancelled() throws Exception {
        byte[] bytes = Chunks.bytes(10, SMALL);
        LeafMemory room = new LeafMemory(
                new ByteBudget(0),
                spool,
                PooledByteBufAllocator.DEFAULT,
                Duration.ofHours(1).toNanos());
        try (Spool.SpoolFile others = spool.create(LARGE, 1)) {
            assertThat(others.channel().isOpen()).isTrue();
            Fetches.Ending ending = new Fetches.Ending();
            BlockAttempt attempt = fetcher.start(
                    Fetches.requester(id -> holding(bytes)), Fetches.whole(chunk, bytes), Fetches.STORE, ending, room);
            await().until(() -> attempt.bytesRead() > 0);
            attempt.cancel();
            assertThat(ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        }
        try (FetchedBlock next = fetch(holding(bytes), bytes).block()) {
            assertSends(next, bytes);
        }
    }

    @Test
    void failedLeafAllocationHoldsNothingOfTheSpool() throws Exception {
        PooledByteBufAllocator exhausted = new PooledByteBufAllocator(true) {
            @Override
            protected ByteBuf newDirectBuffer(int initial, int most) {
                throw new OutOfMemoryError("on purpose");
            }
        };
        byte[] bytes = Chunks.bytes(9, LARGE);
        try (StoreFetcher poor =
                new StoreFetcher(Fetches.pools(timer), new StoreFetcher.Limits(SMALL, 1), memory, spool, exhausted)) {
            Fetches.Ending ending = new Fetches.Ending();
            poor.start(Fetches.requester(id -> holding(bytes)), Fetches.whole(chunk, bytes), Fetches.STORE, ending);
            assertThat(ending.failure()).isEqualTo(ErrorCode.OVERLOADED);
        }
        assertThat(spool.budget().usedBytes()).isZero();
    }

    @Test
    void replicaOnAnOwnDiskIsVerifiedAndSentFromItsFile() throws Exception {
        byte[] bytes = Chunks.bytes(4, LARGE);
        try (DiskChunkStore disk = DiskChunkStore.open(Fetches.STORE, directory.resolve("d"), 0, path -> 1L << 40)) {
            disk.put(chunk, Chunks.source(bytes));
            try (FetchedBlock fetched = fetch(disk, bytes).block()) {
                assertThat(spool.budget().usedBytes()).isZero();
                assertThat(memory.usedBytes()).isZero();
                assertSends(fetched, bytes);
            }
        }
    }

    /** Stalled reads occupy the only thread and the only place in the queue. */
    @Test
    void extraAttemptDoesNotWaitForOrdinaryOnes() throws Exception {
        byte[] bytes = Chunks.bytes(8, SMALL);
        StallingStore stalling = new StallingStore(holding(bytes), 0);
        Fetches.Ending first = new Fetches.Ending();
        BlockAttempt running =
                fetcher.start(Fetches.requester(id -> stalling), Fetches.whole(chunk, bytes), Fetches.STORE, first);
        Fetches.Ending second = new Fetches.Ending();
        BlockAttempt waiting =
                fetcher.start(Fetches.requester(id -> stalling), Fetches.whole(chunk, bytes), Fetches.STORE, second);

        Fetches.Ending extra = new Fetches.Ending();
        fetcher.start(Fetches.requester(id -> holding(bytes)), Fetches.whole(chunk, bytes, true), Fetches.STORE, extra);

        extra.block().close();
        waiting.cancel();
        running.cancel();
        assertThat(first.failure()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(second.failure()).isEqualTo(ErrorCode.CANCELLED);
    }

    @Test
    void missingAndCorruptReplicasHaveDifferentErrorCodes() throws Exception {
        byte[] bytes = Chunks.bytes(5, SMALL);
        byte[] flipped = bytes.clone();
        flipped[SMALL - 1] ^= 1;
        assertThat(fetch(new MemoryChunkStore(Fetches.STORE, 1 << 20), bytes).failure())
                .isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(fetch(holding(flipped), bytes).failure()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void cancelledAttemptStopsItsReadAndFreesItsBytes() throws Exception {
        byte[] bytes = Chunks.bytes(6, SMALL);
        Fetches.Ending ending = new Fetches.Ending();
        StallingStore stalling = new StallingStore(holding(bytes), Fetches.LEAF + 100);
        BlockAttempt attempt =
                fetcher.start(Fetches.requester(id -> stalling), Fetches.whole(chunk, bytes), Fetches.STORE, ending);
        assertThat(ending.progress.get()).isEqualTo(Fetches.LEAF);
        await().until(() -> attempt.bytesRead() == Fetches.LEAF + 100);
        attempt.cancel();
        attempt.cancel();
        assertThat(ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(ending.bytes)
                .as("the leaf that is not whole was fetched, too")
                .isEqualTo(Fetches.LEAF + 100);
        await().untilAsserted(() -> assertThat(memory.usedBytes()).isZero());
    }

    @Test
    void attemptsBeyondTheQueueAreRefusedAndQueuedOnesCanBeCancelledOrExpire() throws Exception {
        byte[] bytes = Chunks.bytes(7, SMALL);
        StallingStore stalling = new StallingStore(holding(bytes), Fetches.LEAF);
        Fetches.Ending running = fetch(stalling, bytes);
        assertThat(running.progress.get()).isEqualTo(Fetches.LEAF);
        Fetches.Ending waiting = new Fetches.Ending();
        BlockAttempt queued =
                fetcher.start(Fetches.requester(id -> stalling), Fetches.whole(chunk, bytes), Fetches.STORE, waiting);
        assertThatThrownBy(() -> fetch(stalling, bytes))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        queued.cancel();
        assertThat(waiting.failure()).isEqualTo(ErrorCode.CANCELLED);

        CloudMwException late = new CloudMwException(ErrorCode.OVERLOADED, "waited");
        assertThat(queued.expire(late)).as("not waiting any more").isFalse();
        Fetches.Ending expired = new Fetches.Ending();
        assertThat(fetcher.start(Fetches.requester(id -> stalling), Fetches.whole(chunk, bytes), Fetches.STORE, expired)
                        .expire(late))
                .isTrue();
        assertThat(expired.failure()).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    void closedBlockSendsNothing() throws Exception {
        byte[] bytes = Chunks.bytes(8, 100);
        FetchedBlock fetched = fetch(holding(bytes), bytes).block();
        fetched.close();
        assertThat(fetched.send(new FakeBulkStream(), 0)).isCompletedExceptionally();
    }
}
