package io.cloudmw.helper.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.relay.RelaySender;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of blocks that are relayed leaf by leaf through a memory smaller than one block. */
final class PassingLeavesTest {
    private static final int THREADS = 4;
    private static final int LEAVES = 6;
    private static final int LENGTH = LEAVES * Fetches.LEAF - 1;
    private static final int MEMORY = 3 * Fetches.LEAF;

    @TempDir
    private Path directory;

    private final ByteBudget memory = new ByteBudget(MEMORY);
    private final ByteBudget spooled = new ByteBudget(64L * LENGTH);
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final AtomicLong mostDirectBytes = new AtomicLong();
    private final MemoryChunkStore store = new MemoryChunkStore(Fetches.STORE, 1 << 20);
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private Spool spool;
    private StoreFetcher fetcher;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), spooled);
        fetcher = new StoreFetcher(
                Fetches.pools(timer, THREADS, 64), new StoreFetcher.Limits(1 << 20, 1), memory, spool, allocator);
    }

    @AfterEach
    void stop() {
        fetcher.close();
        timer.shutdownNow();
        spool.close();
    }

    /** A reader whose block is relayed while it is fetched. */
    private final class Reader extends Fetches.Ending implements RelaySender.Listener {
        private final byte[] content;
        private final FakeBulkStream stream = new FakeBulkStream();
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final long credit;
        private volatile @Nullable RelaySender relay;

        /** @param credit bytes that the reader takes at once */
        Reader(int number, long credit) throws CloudMwException {
            this.credit = credit;
            content = Chunks.bytes(number, LENGTH);
            ChunkId chunk = Chunks.id();
            store.put(chunk, Chunks.source(content));
            fetcher.start(Fetches.requester(id -> store), Fetches.relayed(chunk, content), Fetches.STORE, this);
        }

        @Override
        public void began(FetchedBlock growing) {
            RelaySender started = RelaySender.start(stream, new byte[0], growing, this);
            stream.allow(credit);
            relay = started;
        }

        @Override
        public void progressed(long count) {
            mostDirectBytes.accumulateAndGet(allocator.metric().usedDirectMemory(), Math::max);
            RelaySender open = relay;
            if (open != null) {
                open.advanced();
            }
        }

        @Override
        public void sent() {
            end.complete(null);
        }

        @Override
        public void failed(CloudMwException cause) {
            end.completeExceptionally(cause);
        }

        void assertHasAll() throws Exception {
            FetchedBlock whole = block();
            assertThat(end).succeedsWithin(Fetches.PATIENCE);
            assertThat(stream.sent.toByteArray()).isEqualTo(content);
            whole.close();
        }
    }

    @Test
    void blockLargerThanTheMemoryPassesThroughItWithoutTheSpool() throws Exception {
        spooled.take(spooled.limitBytes(), 1);
        new Reader(1, LENGTH).assertHasAll();
        assertThat(memory.usedBytes()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void blocksOfManySlowReadersGoToTheSpoolAndNeverExceedTheMemory() throws Exception {
        List<Reader> readers = new ArrayList<>();
        for (int number = 0; number < 32; number++) {
            readers.add(new Reader(number, 0));
        }
        for (Reader reader : readers) {
            assertThat(reader.block().availableBytes()).isEqualTo(LENGTH);
        }
        assertThat(memory.usedBytes()).isBetween(1L, (long) MEMORY);
        assertThat(spooled.usedBytes()).isPositive();
        // Each thread has one more leaf, which it reads before it writes the leaf to the spool.
        assertThat(mostDirectBytes.get()).isLessThanOrEqualTo(MEMORY + THREADS * Fetches.LEAF);
        for (Reader reader : readers) {
            reader.stream.allow(LENGTH);
            reader.assertHasAll();
        }
        assertThat(memory.usedBytes()).isZero();
        await().untilAsserted(() -> assertThat(spooled.usedBytes()).isZero());
    }
}
