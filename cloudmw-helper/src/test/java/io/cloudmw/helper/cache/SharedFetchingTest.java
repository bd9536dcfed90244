package io.cloudmw.helper.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.memory.MemoryChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.ByteBudget;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.cloudmw.helper.fetch.Fetcher;
import io.cloudmw.helper.fetch.LeafRoom;
import io.cloudmw.helper.fetch.Spool;
import io.cloudmw.helper.fetch.WantedBlock;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.SteppedStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedFetchingTest {
    private static final int LEAF = Fetches.LEAF;
    private static final int LENGTH = 9 * LEAF + 100;
    private static final StoreId OTHER = new StoreId("other");

    @TempDir
    private Path directory;

    private final ChunkId chunk = Chunks.id();
    private final byte[] bytes = Chunks.bytes(1, LENGTH);
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private SteppedStore store;
    private SteppedStore other;
    private ByteBudget memory;
    private Spool spool;
    private Fetcher fetcher;
    private LeafCache cache;
    private SharedFetching fetching;

    @BeforeEach
    void start() throws IOException {
        store = stepped(Fetches.STORE);
        other = stepped(OTHER);
        spool = Spool.open(directory.resolve("spool"), 1 << 20);
        fetcher = new Fetcher(
                Fetches.pools(timer, 4, 64),
                new Fetcher.Limits(LENGTH, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
        open(1 << 20, true);
    }

    private SteppedStore stepped(StoreId id) throws CloudMwException {
        ChunkStore holding = new MemoryChunkStore(id, 1 << 20);
        holding.put(chunk, Chunks.source(bytes));
        return new SteppedStore(holding);
    }

    private void open(long memoryBytes, boolean onDisk) throws IOException {
        memory = new ByteBudget(memoryBytes);
        CacheMetrics counts = new CacheMetrics(meters);
        Optional<DiskTier> disk =
                onDisk ? Optional.of(DiskTier.open(directory.resolve("cache"), 1 << 20, counts)) : Optional.empty();
        cache = new LeafCache(new LeafRoom(memory, spool, PooledByteBufAllocator.DEFAULT, 1), disk, counts);
        fetching = new SharedFetching(fetcher, cache);
    }

    @AfterEach
    void stop() {
        cache.close();
        fetcher.close();
        await().untilAsserted(() -> {
            assertThat(memory.usedBytes()).isZero();
            assertThat(spool.budget().usedBytes()).isZero();
        });
        spool.close();
        timer.shutdownNow();
    }

    /** A reader, and what it has heard. */
    private final class Reader {
        final Fetches.Ending ending = new Fetches.Ending();
        final Attempt attempt;

        Reader(WantedBlock block, StoreId from) {
            attempt = fetching.start(Fetches.requester(id -> id.equals(OTHER) ? other : store), block, from, ending);
        }

        void assertGetsAll() throws Exception {
            try (FetchedBlock block = ending.block()) {
                assertThat(sent(block)).isEqualTo(bytes);
            }
        }
    }

    private Reader read() {
        return new Reader(Fetches.whole(chunk, bytes), Fetches.STORE);
    }

    private List<Reader> read(int readers) {
        return IntStream.range(0, readers).mapToObj(reader -> read()).toList();
    }

    private static byte[] sent(FetchedBlock block) {
        FakeBulkStream stream = new FakeBulkStream();
        stream.open(new byte[0], new Unheard());
        stream.allow(block.block().length());
        IntStream.range(0, block.block().leaves().leaves())
                .forEach(leaf -> assertThat(block.send(stream, leaf)).isCompleted());
        return stream.sent.toByteArray();
    }

    private double counted(String name) {
        return meters.get(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @Test
    void allWhoWantABlockCauseOneFetch() throws Exception {
        List<Reader> readers = read(8);
        store.allow(LENGTH);
        for (Reader reader : readers) {
            reader.assertGetsAll();
        }
        assertThat(store.opened()).isEqualTo(1);
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.MISSES)).isEqualTo(10);
        assertThat(counted(CacheMetrics.JOINED)).isEqualTo(70);
        assertThat(counted(CacheMetrics.FETCHED)).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.SERVED)).isEqualTo(8.0 * LENGTH);
    }

    @Test
    void whoComesLateBeginsWithWhatIsThere() throws Exception {
        Reader first = read();
        store.allow(3 * LEAF + 1);
        await().until(() -> first.attempt.bytesRead() == 3 * LEAF);
        Reader late = read();
        assertThat(late.attempt.bytesRead()).isEqualTo(3 * LEAF);
        store.allow(LENGTH);
        first.assertGetsAll();
        late.assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    @Test
    void partsOfABlockComeFromWhatIsThereFromWhatIsUnderWayAndFromTheStore() throws Exception {
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader early = new Reader(whole.part(0, 2), Fetches.STORE);
        store.allow(2 * LEAF);
        early.ending.block().close();
        Reader underWay = new Reader(whole.part(4, 2), Fetches.STORE);
        await().until(() -> store.opened() == 2);
        Reader all = read();
        assertThat(all.attempt.bytesRead()).isEqualTo(2 * LEAF);
        store.allow(LENGTH);
        all.assertGetsAll();
        underWay.ending.block().close();
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(store.opened()).isEqualTo(4);
    }

    @Test
    void aReaderThatGoesAwayStopsNobodyAndTheLastStopsTheFetch() {
        Reader first = read();
        Reader second = read();
        store.allow(LEAF);
        await().until(() -> second.attempt.bytesRead() == LEAF);
        first.attempt.cancel();
        assertThat(first.ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        store.allow(LEAF);
        await().until(() -> second.attempt.bytesRead() == 2 * LEAF);
        assertThat(store.closed()).isZero();
        second.attempt.cancel();
        assertThat(second.ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        await().until(() -> store.closed() == 1);
    }

    @Test
    void whatCameBeforeTheLastWentIsKept() throws Exception {
        Reader gone = read();
        store.allow(4 * LEAF);
        await().until(() -> gone.attempt.bytesRead() == 4 * LEAF);
        gone.attempt.cancel();
        await().until(() -> store.closed() == 1);
        store.allow(LENGTH);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    @Test
    void aFailureIsToldToAllAndTheNextAsksAnew() throws Exception {
        List<Reader> readers = read(3);
        store.allow(2 * LEAF);
        await().until(() -> readers.get(2).attempt.bytesRead() == 2 * LEAF);
        store.fail(true);
        readers.forEach(reader -> assertThat(reader.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
        store.fail(false);
        store.allow(LENGTH);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    /** Or a sound copy would be reported for the damaged one. */
    @Test
    void ofADamagedCopyOnlyWhoNamedItIsTold() throws Exception {
        byte[] damaged = bytes.clone();
        damaged[0] ^= 1;
        ChunkStore holding = new MemoryChunkStore(Fetches.STORE, 1 << 20);
        holding.put(chunk, Chunks.source(damaged));
        store = new SteppedStore(holding);
        Reader first = read();
        Reader joining = new Reader(Fetches.whole(chunk, bytes), OTHER);
        store.allow(LENGTH);
        assertThat(first.ending.failure()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(joining.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void whoMakesUpForALateFetchHasAnotherStoreAskedForTheRest() throws Exception {
        Reader first = read();
        store.allow(2 * LEAF);
        await().until(() -> first.attempt.bytesRead() == 2 * LEAF);
        other.allow(LENGTH);
        Reader hedge = new Reader(Fetches.whole(chunk, bytes, true), OTHER);
        hedge.assertGetsAll();
        first.assertGetsAll();
        assertThat(other.given()).isEqualTo(LENGTH - 2 * LEAF);
        await().until(() -> store.closed() == 1);
    }

    @Test
    void whoHasAnOrdinaryWishForAnotherStoreJustWaits() throws Exception {
        Reader first = read();
        await().until(() -> store.opened() == 1);
        Reader second = new Reader(Fetches.whole(chunk, bytes), OTHER);
        store.allow(LENGTH);
        first.assertGetsAll();
        second.assertGetsAll();
        assertThat(other.opened()).isZero();
    }

    @Test
    void aShortenedBlockIsThroughWhenItHasEnough() throws Exception {
        Reader reader = read();
        store.allow(3 * LEAF);
        await().until(() -> reader.attempt.bytesRead() == 3 * LEAF);
        reader.attempt.shorten(2 * LEAF);
        try (FetchedBlock block = reader.ending.block()) {
            assertThat(block.availableBytes()).isEqualTo(3 * LEAF);
        }
        await().until(() -> store.closed() == 1);
    }

    @Test
    void whatIsInMemoryIsServedFromThere() throws Exception {
        reopen(1 << 20, false);
        store.allow(LENGTH);
        read().assertGetsAll();
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.HITS)).isEqualTo(10);
    }

    /** As a helper that was started again. */
    private void reopen(long memoryBytes, boolean onDisk) throws IOException {
        cache.close();
        open(memoryBytes, onDisk);
    }

    /** Readers that take nothing hold what they have; the others are served all the same, and memory stays within its bound. */
    @Test
    void whatFindsNoMemoryGoesThroughTheSpool() throws Exception {
        reopen(2 * LEAF, false);
        store.allow(10L * LENGTH);
        List<Reader> stuck = read(4);
        List<FetchedBlock> held = new ArrayList<>();
        for (Reader reader : stuck) {
            held.add(reader.ending.block());
        }
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(2 * LEAF);
        assertThat(spool.budget().usedBytes()).isPositive();
        read().assertGetsAll();
        held.forEach(FetchedBlock::close);
    }

    @Test
    void whatIsOnTheDiskSurvivesARestart() throws Exception {
        store.allow(LENGTH);
        read().assertGetsAll();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        reopen(1 << 20, true);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.HITS)).isEqualTo(10);
    }

    @Test
    void aDamagedLeafOnTheDiskIsNotServedButFetchedAnew() throws Exception {
        store.allow(LENGTH);
        read().assertGetsAll();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        byte[] leaf = Files.readAllBytes(leaves().get(4));
        leaf[17] ^= 1;
        Files.write(leaves().get(4), leaf);
        Files.write(leaves().get(7), new byte[3]);
        reopen(1 << 20, true);
        store.allow(LENGTH);
        read().assertGetsAll();
        assertThat(counted(CacheMetrics.DAMAGED)).isEqualTo(1);
        assertThat(store.given()).isEqualTo(LENGTH + LENGTH - 4 * LEAF);
    }

    private List<Path> leaves() throws IOException {
        try (var files = Files.walk(directory.resolve("cache").resolve("leaves"))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static final class Unheard implements BulkStreamListener {
        @Override
        public void granted() {}

        @Override
        public void data(ByteBuf payload, int crc32c) {}

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void failed(CloudMwException cause) {}
    }
}
