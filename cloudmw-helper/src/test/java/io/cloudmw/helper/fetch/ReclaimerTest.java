package io.cloudmw.helper.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.relay.RelaySender;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.SteppedStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the reclaimer with memory for one small block and a spool for one large block. */
final class ReclaimerTest {
    private static final int SMALL = 2 * Fetches.LEAF;
    private static final int LARGE = 4 * Fetches.LEAF + 1;
    private static final long IDLE = TimeUnit.SECONDS.toNanos(5);

    @TempDir
    private Path directory;

    private final AtomicLong now = new AtomicLong();
    private final AtomicLong reclaimed = new AtomicLong();
    private final Reclaimer reclaimer = new Reclaimer(IDLE, now::get, reclaimed::addAndGet);
    private final ByteBudget memory = new ByteBudget(SMALL, reclaimer.relief());
    private final ByteBudget spooled = new ByteBudget(LARGE, reclaimer.relief());
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final SteppedStore store = stepped();
    private int clients;
    private Spool spool;
    private StoreFetcher fetcher;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), spooled);
        open(1);
        store.allow(1 << 20);
    }

    /** @param waitNanos time to wait for room in the spool */
    private void open(long waitNanos) {
        if (fetcher != null) {
            fetcher.close();
        }
        fetcher = new StoreFetcher(
                Fetches.pools(timer, 2, 8),
                new StoreFetcher.Limits(SMALL, waitNanos),
                memory,
                spool,
                PooledByteBufAllocator.DEFAULT);
    }

    private static SteppedStore stepped() {
        return new SteppedStore(new MemoryChunkStore(Fetches.STORE, 1 << 20));
    }

    @AfterEach
    void stop() {
        fetcher.close();
        timer.shutdownNow();
        spool.close();
    }

    /** A stream whose sends complete when the test says so. */
    private static final class Network extends FakeBulkStream {
        private CompletableFuture<Void> through = CompletableFuture.completedFuture(null);

        @Override
        public CompletableFuture<Void> send(ByteBuf payload, int crc32c) {
            return super.send(payload, crc32c).thenCompose(sent -> through);
        }

        @Override
        public CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c) {
            return super.send(file, position, length, crc32c).thenCompose(sent -> through);
        }
    }

    /** A reader whose block is relayed while it is fetched. */
    private final class Reader extends Fetches.Ending implements RelaySender.Listener {
        private final byte[] content;
        private final BlockAttempt attempt;
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final Network stream = new Network();
        private volatile @Nullable RelaySender relay;

        Reader(int length) throws CloudMwException {
            this(length, store, fetcher);
        }

        Reader(int length, SteppedStore from, BlockFetcher way) throws CloudMwException {
            this("client-" + ++clients, length, from, way);
        }

        Reader(String client, int length, SteppedStore from, BlockFetcher way) throws CloudMwException {
            content = Chunks.bytes(length, length);
            ChunkId chunk = Chunks.id();
            from.put(chunk, Chunks.source(content));
            attempt = reclaimer
                    .over(way, Requester::tenant)
                    .start(
                            new Requester(
                                    new Tenant(client, "v", Priority.BATCH),
                                    OptionalLong.empty(),
                                    id -> from,
                                    Upstream.NONE),
                            Fetches.whole(chunk, content),
                            Fetches.STORE,
                            this);
        }

        @Override
        public void began(FetchedBlock growing) {
            relay = RelaySender.start(stream, new byte[0], growing, this);
        }

        @Override
        public void progressed(long count) {
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

        Reader whole() throws Exception {
            var unused = block();
            return this;
        }

        void takeAll() throws Exception {
            stream.allow(content.length);
            assertThat(end).succeedsWithin(10, TimeUnit.SECONDS);
            assertThat(stream.sent.toByteArray()).isEqualTo(content);
            await().until(() -> stream.ends == 1);
            block().close();
        }
    }

    private long used(int length) {
        return length == SMALL ? memory.usedBytes() : spooled.usedBytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {SMALL, LARGE})
    void idleReadersBlockIsReclaimedAndFetchedAgainWhenItGoesOn(int length) throws Exception {
        Reader idle = new Reader(length).whole();
        idle.stream.allow(Fetches.LEAF);
        now.addAndGet(IDLE);
        Reader other = new Reader(length).whole();
        assertThat(reclaimed).hasValue(length);
        assertThat(used(length)).isEqualTo(length);
        other.takeAll();
        assertThat(used(length)).isZero();
        idle.takeAll();
        assertThat(store.opened()).isEqualTo(3);
        // Leaves that were sent before are not read again.
        assertThat(store.given()).isEqualTo(3L * length - Fetches.LEAF);
        assertThat(used(length)).isZero();
    }

    /** The memory of a switch belongs to active readers. */
    @Test
    void idleReadersLeavesAreReclaimedFromMemory() throws Exception {
        ByteBudget leaves = new ByteBudget(LARGE, reclaimer.relief());
        LeafMemory room = new LeafMemory(leaves, spool, PooledByteBufAllocator.DEFAULT, 1);
        BlockFetcher way = (requester, block, from, listener) -> fetcher.start(requester, block, from, listener, room);
        Reader idle = new Reader(LARGE, store, way).whole();
        now.addAndGet(IDLE);
        Reader other = new Reader(LARGE, store, way).whole();
        assertThat(leaves.usedBytes()).isEqualTo(LARGE);
        assertThat(spooled.usedBytes()).isZero();
        other.takeAll();
        idle.takeAll();
        assertThat(leaves.usedBytes()).isZero();
    }

    /** Two readers that go on in turns share the same room. */
    @Test
    void blockIsReclaimedAgainAfterASecondFetch() throws Exception {
        open(TimeUnit.MINUTES.toNanos(1));
        Reader first = new Reader(LARGE).whole();
        now.addAndGet(IDLE);
        Reader second = new Reader(LARGE).whole();
        now.addAndGet(IDLE);
        first.stream.allow(Fetches.LEAF);
        await().until(() -> first.stream.sent.size() == Fetches.LEAF);
        assertThat(reclaimed).hasValue(2L * LARGE);
        second.stream.allow(LARGE);
        await().until(() -> {
            now.addAndGet(IDLE);
            return second.end.isDone();
        });
        assertThat(reclaimed).hasValue(3L * LARGE);
        second.takeAll();
        first.takeAll();
        assertThat(store.opened()).isEqualTo(5);
        assertThat(spooled.usedBytes()).isZero();
    }

    @Test
    void activeReadersBlockIsNotReclaimed() throws Exception {
        Reader slow = new Reader(LARGE).whole();
        for (int leaf = 0; leaf < 3; leaf++) {
            now.addAndGet(IDLE - 1);
            slow.stream.allow(Fetches.LEAF);
            assertThat(new Reader(LARGE).failure()).isEqualTo(ErrorCode.OVERLOADED);
        }
        assertThat(reclaimed).hasValue(0);
        slow.takeAll();
    }

    /** The reader is slow, but will take the other blocks. */
    @Test
    void otherBlocksOfAnActiveReaderAreNotReclaimed() throws Exception {
        Reader some = new Reader("slow", SMALL, store, fetcher).whole();
        Reader others = new Reader("slow", LARGE, store, fetcher).whole();
        now.addAndGet(IDLE);
        some.stream.allow(Fetches.LEAF);
        assertThat(new Reader(LARGE).failure()).isEqualTo(ErrorCode.OVERLOADED);
        now.addAndGet(IDLE);
        new Reader(LARGE).whole().takeAll();
        some.takeAll();
        others.takeAll();
    }

    /** The block would stay until it is sent, so that reclaiming it makes no room. */
    @Test
    void blockIsNotReclaimedWhileALeafIsSent() throws Exception {
        Reader slow = new Reader(LARGE).whole();
        slow.stream.through = new CompletableFuture<>();
        slow.stream.allow(Fetches.LEAF);
        now.addAndGet(IDLE);
        assertThat(new Reader(LARGE).failure()).isEqualTo(ErrorCode.OVERLOADED);
        slow.stream.through.complete(null);
        assertThat(new Reader(LARGE).failure()).isEqualTo(ErrorCode.OVERLOADED);
        now.addAndGet(IDLE);
        new Reader(LARGE).whole().takeAll();
        slow.takeAll();
    }

    /** A request that cannot wait tries the full memory first. */
    @Test
    void spoolIsSearchedAlthoughMemoryHasNothingToReclaim() throws Exception {
        Reader idle = new Reader(LARGE).whole();
        now.addAndGet(IDLE);
        ByteBudget full = new ByteBudget(LARGE, reclaimer.relief());
        assertThat(full.tryTake(LARGE)).isTrue();
        LeafMemory room = new LeafMemory(full, spool, PooledByteBufAllocator.DEFAULT, 0);
        BlockFetcher way = (requester, block, from, listener) -> fetcher.start(requester, block, from, listener, room);
        new Reader(LARGE, store, way).whole().takeAll();
        idle.takeAll();
    }

    @Test
    void longestIdleReadersLastBlockIsReclaimedFirst() throws Exception {
        ByteBudget leaves = new ByteBudget(3L * LARGE, reclaimer.relief());
        LeafMemory room = new LeafMemory(leaves, spool, PooledByteBufAllocator.DEFAULT, 0);
        BlockFetcher way = (requester, block, from, listener) -> fetcher.start(requester, block, from, listener, room);
        SteppedStore earlier = stepped();
        SteppedStore later = stepped();
        earlier.allow(1 << 20);
        later.allow(1 << 20);
        Reader first = new Reader("rests", LARGE, earlier, way).whole();
        now.addAndGet(1);
        Reader second = new Reader("rests", LARGE, later, way).whole();
        now.addAndGet(1);
        Reader other = new Reader("reads", LARGE, earlier, way).whole();
        now.addAndGet(IDLE);
        new Reader(LARGE, store, way).whole().takeAll();
        first.takeAll();
        other.takeAll();
        assertThat(earlier.opened()).isEqualTo(2);
        second.takeAll();
        assertThat(later.opened()).isEqualTo(2);
    }

    @Test
    void incompleteBlockIsNotReclaimed() throws Exception {
        SteppedStore slow = stepped();
        slow.allow(Fetches.LEAF);
        Reader idle = new Reader(LARGE, slow, fetcher);
        await().until(() -> idle.attempt.bytesRead() == Fetches.LEAF);
        now.addAndGet(IDLE);
        assertThat(new Reader(LARGE).failure()).isEqualTo(ErrorCode.OVERLOADED);
        slow.allow(LARGE);
        idle.whole().takeAll();
        assertThat(slow.opened()).isEqualTo(1);
    }

    @Test
    void relayFailsWhenAReclaimedBlockCannotBeFetchedAgain() throws Exception {
        Reader idle = new Reader(LARGE).whole();
        giveUp(idle);
        store.fail(true);
        idle.stream.allow(LARGE);
        assertThat(idle.end).failsWithin(10, TimeUnit.SECONDS);
        assertThat(idle.stream.sent.size()).isZero();
        assertThat(idle.stream.resets).containsExactly(ErrorCode.STORE_UNAVAILABLE);
        idle.block().close();
        assertThat(spooled.usedBytes()).isZero();
    }

    /** Another helper may have room, since the store is good. */
    @Test
    void secondFetchWithoutRoomDoesNotBlameTheStore() throws Exception {
        Reader idle = new Reader(LARGE).whole();
        now.addAndGet(IDLE);
        assertThat(spooled.tryTake(LARGE)).isTrue();
        idle.stream.allow(LARGE);
        assertThat(idle.end).failsWithin(10, TimeUnit.SECONDS);
        assertThat(idle.stream.resets).containsExactly(ErrorCode.HELPER_UNAVAILABLE);
        idle.block().close();
        spooled.giveBack(LARGE);
    }

    @Test
    void readerThatLeavesDuringASecondFetchHoldsNothing() throws Exception {
        SteppedStore once = stepped();
        once.allow(LARGE);
        Reader idle = new Reader(LARGE, once, fetcher).whole();
        giveUp(idle);
        idle.stream.allow(Fetches.LEAF);
        await().until(() -> once.opened() == 2);
        idle.block().close();
        await().until(() -> once.closed() == 2);
        await().until(() -> spooled.usedBytes() == 0);
    }

    private void giveUp(Reader idle) {
        now.addAndGet(IDLE);
        assertThat(spooled.tryTake(idle.content.length)).isTrue();
        spooled.giveBack(idle.content.length);
    }
}
