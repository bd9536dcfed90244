package io.cloudmw.helper.switching;

import static io.cloudmw.helper.testing.Fetches.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.IdleAttempt;
import io.cloudmw.helper.testing.SteppedStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SharedFetcherTest {
    private static final int LEAF = Fetches.LEAF;
    private static final int LENGTH = 9 * LEAF + 100;
    private static final int OPEN_FILES = 100;
    private static final StoreId OTHER = new StoreId("other");
    /** A store on this helper's disk. */
    private static final StoreId OWN = new StoreId("own");

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
    private StoreFetcher fetcher;
    /** The urgency that switches above hear. */
    private StoreFetcher others;

    private LeafCache cache;
    private SharedFetcher fetching;

    @BeforeEach
    void start() throws IOException {
        store = stepped(Fetches.STORE);
        other = stepped(OTHER);
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1 << 20));
        fetcher = fetcher(Fetches.pools(timer, 4, 64));
        others = fetcher(Fetches.pools(timer, 4, 64));
        open(1 << 20, OPEN_FILES);
    }

    private StoreFetcher fetcher(StoreFetcher.Pools pools) {
        return new StoreFetcher(
                pools,
                new StoreFetcher.Limits(LENGTH, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
    }

    private SteppedStore stepped(StoreId id) throws CloudMwException {
        ChunkStore holding = new MemoryChunkStore(id, 1 << 20);
        holding.put(chunk, Chunks.source(bytes));
        return new SteppedStore(holding);
    }

    private void open(long memoryBytes, boolean onDisk) throws IOException {
        open(memoryBytes, onDisk ? OPEN_FILES : 0);
    }

    /** @param openFiles files from which leaves may be sent at once; 0 for a cache without a disk */
    private void open(long memoryBytes, int openFiles) throws IOException {
        memory = new ByteBudget(memoryBytes);
        CacheMetrics counts = new CacheMetrics(meters);
        Optional<DiskCache> disk = openFiles > 0
                ? Optional.of(
                        DiskCache.open(directory.resolve("cache"), 1 << 20, openFiles, Duration.ofHours(1), counts))
                : Optional.empty();
        cache = new LeafCache(new LeafMemory(memory, spool, PooledByteBufAllocator.DEFAULT, 1), disk, counts);
        fetching = new SharedFetcher(fetcher, cache, new SwitchMetrics(meters), OWN::equals);
    }

    @AfterEach
    void stop() {
        cache.close();
        fetcher.close();
        others.close();
        await().untilAsserted(() -> {
            assertThat(memory.usedBytes()).isZero();
            assertThat(spool.budget().usedBytes()).isZero();
        });
        spool.close();
        timer.shutdownNow();
    }

    /** A reader, with the events it has heard. */
    private final class Reader {
        final Fetches.Ending ending = new Fetches.Ending();
        final BlockAttempt attempt;

        Reader(WantedBlock block, StoreId from) {
            this(Fetches.requester(id -> id.equals(OTHER) ? other : store), block, from);
        }

        Reader(Requester requester, WantedBlock block, StoreId from) {
            try {
                attempt = fetching.start(requester, block, from, ending);
            } catch (CloudMwException e) {
                throw new UncheckedIOException(e);
            }
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

    private double counted(String name) {
        return meters.get(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    @Test
    void readersOfABlockShareOneFetch() throws Exception {
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

    /** A requester in this class, whose stores are all the same. */
    private static Requester requester(Priority priority, ChunkStore from) {
        return requester("test", priority, from);
    }

    private static Requester requester(String client, Priority priority, ChunkStore from) {
        return new Requester(new Tenant(client, "v", priority), OptionalLong.empty(), id -> from, Upstream.NONE);
    }

    /** The warm-up reads one store and the reader the other; four reads occupy all threads. */
    @Test
    void queuedWarmUpIsFetchedInTheClassOfAMoreUrgentReader() throws Exception {
        WantedBlock whole = Fetches.whole(chunk, bytes);
        List<Reader> before = IntStream.range(0, 4)
                .mapToObj(leaf -> new Reader(whole.part(leaf, 1), Fetches.STORE))
                .toList();
        await().until(() -> store.opened() == 4);
        CompletableFuture<Optional<CloudMwException>> warmed = new CompletableFuture<>();
        var unused = fetching.keep(
                requester(Priority.PREFETCH, other),
                whole.part(4, 1),
                Fetches.STORE,
                (outcome, cause) -> warmed.complete(cause));
        Reader urgent = new Reader(requester(Priority.INTERACTIVE, store), whole.part(4, 1), Fetches.STORE);
        other.allow(LENGTH);
        store.allow(LENGTH);
        urgent.ending.block().close();
        for (Reader reader : before) {
            reader.ending.block().close();
        }
        assertThat(warmed.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(other.opened()).isZero();
        assertThat(store.opened()).isEqualTo(5);
    }

    @Test
    void begunWarmUpIsNotFetchedAgainForAMoreUrgentReader() throws Exception {
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader warming = new Reader(requester(Priority.PREFETCH, other), whole, Fetches.STORE);
        other.allow(LEAF);
        await().until(() -> warming.attempt.bytesRead() == LEAF);
        Reader urgent = new Reader(requester(Priority.INTERACTIVE, store), whole, Fetches.STORE);
        other.allow(LENGTH);
        urgent.assertGetsAll();
        warming.assertGetsAll();
        assertThat(store.opened()).isZero();
        assertThat(other.given()).isEqualTo(LENGTH);
    }

    @Test
    void lateReaderGetsTheArrivedLeavesFirst() throws Exception {
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
    void leavesComeFromTheCacheFromAFetchUnderWayAndFromTheStore() throws Exception {
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
    void fetchStopsWhenItsLastReaderLeaves() {
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
    void leavesArrivedBeforeTheLastReaderLeftAreCached() throws Exception {
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
    void failureReachesAllReadersAndTheNextReaderFetchesAgain() throws Exception {
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

    /** In many rounds, some readers join between the failure and its delivery. */
    @Test
    void readerThatJoinsDuringAFailureHearsOfIt() throws Exception {
        ExecutorService joining = Threads.blocking("joins", 4, 4);
        try {
            for (int round = 0; round < 300; round++) {
                store.fail(false);
                Reader first = read();
                Queue<Reader> joined = new ConcurrentLinkedQueue<>();
                List<CompletableFuture<Void>> joiners = IntStream.range(0, 4)
                        .mapToObj(number -> CompletableFuture.runAsync(
                                () -> {
                                    for (int i = 0; i < 8; i++) {
                                        joined.add(read());
                                    }
                                },
                                joining))
                        .toList();
                store.fail(true);
                joiners.forEach(CompletableFuture::join);
                assertThat(first.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
                joined.forEach(reader -> assertThat(reader.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
            }
        } finally {
            joining.shutdownNow();
        }
    }

    /**
     * The store occupies the only thread. The greedy client has had its share; another client of its class wants the
     * last block it has requested.
     */
    @Test
    void smallRequestDoesNotWaitBehindAnotherClientsQueue() throws Exception {
        oneThread(8 << 20, 64);
        int leaf = 256 << 10;
        byte[] large = Chunks.bytes(3, 12 * leaf);
        ChunkStore holding = new MemoryChunkStore(Fetches.STORE, 8 << 20);
        holding.put(chunk, Chunks.source(large));
        store = new SteppedStore(holding);
        WantedBlock whole = Fetches.whole(chunk, large, leaf);
        List<Reader> greedy = IntStream.range(0, 12)
                .mapToObj(part ->
                        new Reader(requester("greedy", Priority.BATCH, store), whole.part(part, 1), Fetches.STORE))
                .toList();
        store.allow(4L * leaf);
        await().until(() -> store.opened() == 5);
        Reader little = new Reader(requester("another", Priority.BATCH, store), whole.part(11, 1), Fetches.STORE);
        store.allow(2L * leaf);
        little.ending.block().close();
        assertThat(store.given()).as("after the one that was under way").isEqualTo(6L * leaf);
        store.allow(large.length);
        for (Reader reader : greedy) {
            reader.ending.block().close();
        }
        assertThat(store.opened()).as("nothing is fetched twice").isEqualTo(12);
    }

    @Test
    void chunkOnAnOwnDiskIsNotRequestedFromASwitchAbove() throws Exception {
        List<Long> asked = new CopyOnWriteArrayList<>();
        Upstream.Parent parent = above(other, 0, ErrorCode.HELPER_UNAVAILABLE, asked);
        WantedBlock own = Fetches.whole(chunk, bytes, OWN);
        Reader reader = new Reader(through(parent, "client", Priority.BATCH), own, OWN);
        store.allow(LENGTH);
        reader.assertGetsAll();
        assertThat(asked).isEmpty();
    }

    /** Otherwise a good copy would be reported for the damaged one. */
    @Test
    void badReplicaIsNamedOnlyToReadersThatNamedItsStore() throws Exception {
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

    /** A reader with the right to read may name other bytes for the same chunk, in a store of its own. */
    private Reader readOthers(byte[] others) throws CloudMwException {
        ChunkStore holding = new MemoryChunkStore(OTHER, 1 << 20);
        holding.put(chunk, Chunks.source(others));
        other = new SteppedStore(holding);
        return new Reader(Fetches.whole(chunk, others), OTHER);
    }

    @Test
    void cachedLeafIsNotGivenToAReaderThatExpectsOtherBytes() throws Exception {
        byte[] others = Chunks.bytes(2, LENGTH);
        Reader stranger = readOthers(others);
        other.allow(LENGTH);
        try (FetchedBlock block = stranger.ending.block()) {
            assertThat(sent(block)).isEqualTo(others);
        }
        await().until(() -> other.closed() == 1);
        store.allow(LENGTH);
        read().assertGetsAll();
        await().until(() -> store.closed() == 1);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    /** The leaves are good and have the same keys, but they are longer. */
    @Test
    void cachedLeafIsNotGivenToAReaderWithAnotherLeafSize() throws Exception {
        reopen(1 << 20, false);
        store.allow(2L * LENGTH);
        new Reader(Fetches.whole(chunk, bytes, 2 * LEAF), Fetches.STORE)
                .ending
                .block()
                .close();
        await().until(() -> store.closed() == 1);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(2L * LENGTH);
    }

    @Test
    void readerDoesNotJoinAFetchOfOtherBytes() throws Exception {
        byte[] others = Chunks.bytes(2, LENGTH);
        System.arraycopy(bytes, 0, others, 0, 2 * LEAF);
        Reader stranger = readOthers(others);
        other.allow(3 * LEAF);
        await().until(() -> stranger.attempt.bytesRead() == 3 * LEAF);
        store.allow(LENGTH);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH - 2 * LEAF);
        other.allow(LENGTH);
        try (FetchedBlock block = stranger.ending.block()) {
            assertThat(sent(block)).isEqualTo(others);
        }
    }

    /** Otherwise a good copy would be reported because of another reader's wrong expectation. */
    @Test
    void wrongExpectationOfOneReaderBlamesNoReplicaForOthers() throws Exception {
        byte[] others = bytes.clone();
        others[3 * LEAF] ^= 1;
        Reader stranger = new Reader(Fetches.whole(chunk, others), Fetches.STORE);
        await().until(() -> store.opened() == 1);
        Reader joining = read();
        store.allow(LENGTH);
        assertThat(stranger.ending.failure()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(joining.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void badReplicaIsReportedOnceForManyReaders() throws Exception {
        store = new SteppedStore(new MemoryChunkStore(Fetches.STORE, 1 << 20));
        List<ReplicaReport> reports = new CopyOnWriteArrayList<>();
        CompletableFuture<SteppedStore> opening = new CompletableFuture<>();
        List<Reader> readers = IntStream.range(0, 3)
                .mapToObj(reader -> new Reader(
                        reporting("client", id -> opening.join(), reports), Fetches.whole(chunk, bytes), Fetches.STORE))
                .toList();
        opening.complete(store);
        readers.forEach(reader -> assertThat(reader.ending.failure()).isEqualTo(ErrorCode.REPLICA_MISSING));
        assertThat(reports).containsExactly(new ReplicaReport(chunk, Fetches.STORE, ReplicaState.MISSING));
    }

    /** Another read occupies the only thread: all readers wait for their own turns and for the others'. */
    @Test
    void missingReplicaOfOneTurnCancelsTheOtherTurns() throws Exception {
        oneThread(1 << 20, 64);
        Reader before = read();
        await().until(() -> store.opened() == 1);
        SteppedStore empty = new SteppedStore(new MemoryChunkStore(OTHER, 1 << 20));
        List<ReplicaReport> reports = new CopyOnWriteArrayList<>();
        ChunkId missing = Chunks.id();
        List<Reader> readers = IntStream.range(0, 3)
                .mapToObj(number -> new Reader(
                        reporting("client-" + number, id -> empty, reports),
                        Fetches.whole(missing, bytes),
                        Fetches.STORE))
                .toList();
        store.allow(LENGTH);
        before.assertGetsAll();
        readers.forEach(reader -> assertThat(reader.ending.failure()).isEqualTo(ErrorCode.REPLICA_MISSING));
        Reader after = read();
        after.assertGetsAll();
        assertThat(reports).containsExactly(new ReplicaReport(missing, Fetches.STORE, ReplicaState.MISSING));
    }

    private static Requester reporting(String client, StoreResolver stores, List<ReplicaReport> reports) {
        return new Requester(
                new Tenant(client, "v", Priority.BATCH), OptionalLong.empty(), stores, Upstream.NONE, reports::add);
    }

    private Requester reporting(Upstream upstream, List<ReplicaReport> reports) {
        Requester plain = Fetches.requester(id -> store);
        return new Requester(plain.tenant(), plain.deadlineNanos(), plain.stores(), upstream, reports::add);
    }

    @Test
    void extraReaderHasAnotherStoreAskedForTheRest() throws Exception {
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
    void ordinaryReaderOfAnotherStoreWaitsForTheFetch() throws Exception {
        Reader first = read();
        await().until(() -> store.opened() == 1);
        Reader second = new Reader(Fetches.whole(chunk, bytes), OTHER);
        store.allow(LENGTH);
        first.assertGetsAll();
        second.assertGetsAll();
        assertThat(other.opened()).isZero();
    }

    @Test
    void shortenedBlockFinishesWithItsFirstBytes() throws Exception {
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
    void cachedBlockIsServedFromMemory() throws Exception {
        reopen(1 << 20, false);
        store.allow(LENGTH);
        read().assertGetsAll();
        await().until(() -> store.closed() == 1); // until then readers could join the fetch
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.HITS)).isEqualTo(10);
    }

    /** Restarts the helper. */
    /** Limits the queue of each client. */
    private void oneThread(long memoryBytes, int clientQueue) throws IOException {
        fetcher.close();
        cache.close();
        fetcher = fetcher(Fetches.pools(timer, 1, 64, clientQueue));
        open(memoryBytes, 0);
    }

    private void reopen(long memoryBytes, boolean onDisk) throws IOException {
        cache.close();
        open(memoryBytes, onDisk);
    }

    /**
     * Idle readers keep their leaves; the others are served all the same, and memory stays within its limit.
     */
    @Test
    void leavesWithoutMemoryGoThroughTheSpool() throws Exception {
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

    /** An attempt uses one file for all leaves, so that a thousand idle readers need few descriptors. */
    @Test
    void attemptUsesOneSpoolFile() throws Exception {
        reopen(0, false);
        Reader reader = read();
        store.allow(LEAF);
        await().until(() -> reader.attempt.bytesRead() == LEAF);
        assertThat(spool.budget().usedBytes()).isEqualTo(LENGTH); // the first leaf takes room for all
        store.allow(LENGTH);
        FetchedBlock held = reader.ending.block();
        assertThat(spool.budget().usedBytes()).isEqualTo(LENGTH);
        assertThat(sent(held)).isEqualTo(bytes);
        held.close();
        await().until(() -> spool.budget().usedBytes() == 0);
    }

    @Test
    void doubtedBlockIsFetchedAgain() throws Exception {
        store.allow(2L * LENGTH);
        read().assertGetsAll();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        fetching.doubt(Fetches.whole(chunk, bytes).part(2, 3));
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH + 3 * LEAF);
    }

    /** The disk hangs: the first writer waits for a moment, the others do not. */
    @Test
    void slowDiskDropsLeavesAndDelaysNoReader() throws Exception {
        CacheMetrics counts = new CacheMetrics(meters);
        try (DiskCache tier = DiskCache.open(directory.resolve("stuck"), 1 << 20, 1, Duration.ofMillis(1), counts)) {
            store.allow(LENGTH);
            FetchedBlock block = read().ending.block();
            Leaf leaf = block.leaf(0).orElseThrow();
            LeafKey key = new LeafKey(chunk, 0);
            int writers = tier.writers().drainPermits();
            tier.put(key, leaf.length(), leaf.crc32c(), leaf::copyTo);
            assertThat(tier.has(key)).isFalse();
            tier.put(key, leaf.length(), leaf.crc32c(), leaf::copyTo);
            assertThat(tier.has(key)).isFalse();
            tier.writers().release(writers);
            tier.put(key, leaf.length(), leaf.crc32c(), leaf::copyTo);
            assertThat(tier.has(key)).isTrue();
            leaf.release();
            block.close();
        }
    }

    @Test
    void evictedLeafIsDeletedFromTheDiskByTheNextPut() throws Exception {
        try (DiskCache tier = DiskCache.open(directory.resolve("small"), 4 * 4096, new CacheMetrics(meters))) {
            store.allow(LENGTH);
            FetchedBlock block = read().ending.block();
            for (int leaf = 0; leaf < 9; leaf++) {
                Leaf held = block.leaf(leaf).orElseThrow();
                tier.put(new LeafKey(chunk, leaf), held.length(), held.crc32c(), held::copyTo);
                held.release();
            }
            block.close();
            for (int leaf = 0; leaf < 9; leaf++) {
                LeafKey key = new LeafKey(chunk, leaf);
                assertThat(Files.exists(tier.file(key))).as("leaf " + leaf).isEqualTo(tier.has(key));
            }
            assertThat(tier.bytes()).isPositive().isLessThanOrEqualTo(4 * 4096);
        }
    }

    @Test
    void leavesOnTheDiskSurviveARestart() throws Exception {
        store.allow(LENGTH);
        read().assertGetsAll();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        reopen(1 << 20, true);
        read().assertGetsAll();
        assertThat(store.given()).isEqualTo(LENGTH);
        assertThat(counted(CacheMetrics.HITS)).isEqualTo(10);
    }

    @Test
    void damagedLeafOnTheDiskIsFetchedAgain() throws Exception {
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

    /**
     * Without memory, the usage of the spool shows which leaves were read from the disk instead of sent from it.
     */
    @Test
    void leafWrittenByThisProcessIsSentFromItsFile() throws Exception {
        reopen(0, true);
        fill();
        try (FetchedBlock block = read().ending.block()) {
            assertThat(spool.budget().usedBytes()).isZero();
            assertThat(sent(block)).isEqualTo(bytes);
        }
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    @Test
    void leafOfAnEarlierProcessIsReadOnceThenSentFromItsFile() throws Exception {
        fill();
        reopen(0, true);
        try (FetchedBlock block = read().ending.block()) {
            assertThat(spool.budget().usedBytes()).isPositive();
            assertThat(sent(block)).isEqualTo(bytes);
        }
        await().until(() -> spool.budget().usedBytes() == 0);
        try (FetchedBlock block = read().ending.block()) {
            assertThat(spool.budget().usedBytes()).isZero();
            assertThat(sent(block)).isEqualTo(bytes);
        }
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    @Test
    void evictedLeafIsStillSentToItsEnd() throws Exception {
        reopen(0, true);
        fill();
        FetchedBlock held = read().ending.block();
        doubtUntilItIsFetchedAnew();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        for (Path leaf : leaves()) {
            Files.write(leaf, new byte[LEAF]);
        }
        assertThat(sent(held)).isEqualTo(bytes);
        held.close();
    }

    /** A reader that joins a fetch under way still gets its leaves. */
    private void doubtUntilItIsFetchedAnew() {
        store.allow(LENGTH);
        await().untilAsserted(() -> {
            fetching.doubt(Fetches.whole(chunk, bytes));
            read().ending.block().close();
            assertThat(store.given()).isEqualTo(2L * LENGTH);
        });
    }

    /** The destination finds the damage and doubts the block. */
    @Test
    void leafDamagedAfterItsVerificationIsFetchedAgainWhenDoubted() throws Exception {
        reopen(0, true);
        fill();
        byte[] leaf = Files.readAllBytes(leaves().get(4));
        leaf[17] ^= 1;
        Files.write(leaves().get(4), leaf);
        byte[] spoiled = bytes.clone();
        spoiled[4 * LEAF + 17] ^= 1;
        try (FetchedBlock block = read().ending.block()) {
            assertThat(sent(block)).isEqualTo(spoiled);
        }
        doubtUntilItIsFetchedAnew();
        assertThat(counted(CacheMetrics.DAMAGED)).isPositive();
        read().assertGetsAll();
    }

    @Test
    void leafInMemoryAndOnTheDiskCountsOnce() throws Exception {
        store.allow(LENGTH);
        read().assertGetsAll();
        await().untilAsserted(() -> assertThat(leaves()).hasSize(10));
        assertThat(memory.usedBytes()).isEqualTo(LENGTH);
        assertThat(fetching.activity(0, 0).keptBytes()).isEqualTo(10 * LEAF);
    }

    @Test
    void truncatedOrDeletedFileIsFetchedAgain() throws Exception {
        reopen(0, true);
        fill();
        List<Path> files = leaves();
        Files.write(files.get(3), new byte[3]);
        Files.delete(files.get(7));
        store.allow(LENGTH);
        read().assertGetsAll();
        assertThat(counted(CacheMetrics.DAMAGED)).isEqualTo(1);
        assertThat(store.given()).isEqualTo(LENGTH + LENGTH - 3 * LEAF);
    }

    @Test
    void leavesAreReadWhenTooManyFilesAreOpen() throws Exception {
        cache.close();
        open(0, 10);
        fill();
        FetchedBlock first = read().ending.block();
        await().untilAsserted(
                        () -> { // until then readers could join the first fetch
                            try (FetchedBlock second = read().ending.block()) {
                                assertThat(spool.budget().usedBytes()).isEqualTo(LENGTH);
                                assertThat(sent(second)).isEqualTo(bytes);
                            }
                        });
        assertThat(sent(first)).isEqualTo(bytes);
        first.close();
        await().untilAsserted(() -> {
            try (FetchedBlock third = read().ending.block()) {
                assertThat(spool.budget().usedBytes()).isZero();
                assertThat(sent(third)).isEqualTo(bytes);
            }
        });
    }

    /** All leaves are on the disk, and no fetch is under way. */
    private void fill() throws Exception {
        store.allow(LENGTH);
        read().assertGetsAll();
        await().until(() -> store.closed() == store.opened());
        await().untilAsserted(() -> {
            assertThat(leaves()).hasSize(10);
            assertThat(spool.budget().usedBytes()).isZero();
        });
    }

    private List<Path> leaves() throws IOException {
        try (var files = Files.walk(directory.resolve("cache").resolve("leaves"))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /**
     * A switch above, which has the blocks of {@code holding}. Its failures look like those of a switch that is down,
     * or have another code.
     */
    private Upstream.Parent above(SteppedStore holding, int height, ErrorCode failure, List<Long> asked) {
        return new Upstream.Parent() {
            @Override
            public int height() {
                return height;
            }

            @Override
            public BlockAttempt start(
                    WantedBlock block, StoreId from, BlockAttempt.Listener listener, LeafMemory room) {
                asked.add(block.leaves().range().offset());
                try {
                    return others.start(
                            Fetches.requester(id -> holding), block, from, new Translating(listener, failure), room);
                } catch (CloudMwException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /** A listener that passes every event on, and changes the code of failures. */
    private record Translating(BlockAttempt.Listener listener, ErrorCode code) implements BlockAttempt.Listener {
        @Override
        public void began(FetchedBlock growing) {
            listener.began(growing);
        }

        @Override
        public void progressed(long bytes) {
            listener.progressed(bytes);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            listener.finished(fetched);
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            listener.failed(new CloudMwException(code, "from above", cause), bytes);
        }

        @Override
        public void cancelled(long bytes) {
            listener.cancelled(bytes);
        }
    }

    private Reader below(Upstream upstream) {
        Requester plain = Fetches.requester(id -> store);
        return new Reader(
                new Requester(plain.tenant(), plain.deadlineNanos(), plain.stores(), upstream),
                Fetches.whole(chunk, bytes),
                Fetches.STORE);
    }

    @Test
    void nextSwitchAboveIsAskedFromTheFirstMissingLeaf() throws Exception {
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();
        SteppedStore dies = stepped(new StoreId("dies"));
        SteppedStore lives = stepped(new StoreId("lives"));
        Upstream.Above above = new Upstream.Above(
                3,
                List.of(
                        above(dies, 2, ErrorCode.HELPER_UNAVAILABLE, first),
                        above(lives, 0, ErrorCode.HELPER_UNAVAILABLE, second)));
        Reader reader = below(block -> above);
        dies.allow(3 * LEAF);
        await().until(() -> reader.attempt.bytesRead() == 3 * LEAF);
        dies.fail(true);
        dies.allow(1);
        lives.allow(LENGTH);
        reader.assertGetsAll();
        assertThat(first).containsExactly(0L);
        assertThat(second).containsExactly(3L * LEAF);
        assertThat(store.opened()).isZero();
        assertThat(counted(SwitchMetrics.RECEIVED)).isEqualTo(LENGTH);
        assertThat(counted(SwitchMetrics.MOVED)).isEqualTo(1);
        assertThat(counted(CacheMetrics.FETCHED)).isZero();
    }

    @Test
    void storeIsReadWhenNoSwitchAboveDelivers() throws Exception {
        List<Long> asked = new ArrayList<>();
        SteppedStore dies = stepped(new StoreId("dies"));
        dies.fail(true);
        Upstream.Above above = new Upstream.Above(1, List.of(above(dies, 0, ErrorCode.HELPER_UNAVAILABLE, asked)));
        store.allow(LENGTH);
        below(block -> above).assertGetsAll();
        assertThat(asked).containsExactly(0L);
        assertThat(counted(CacheMetrics.FETCHED)).isEqualTo(LENGTH);
    }

    /** The switch cannot reach the store, or has no right there; other switches above would read the same store. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"STORE_UNAVAILABLE", "STORE_DENIED"})
    void whereOneAboveCannotReachTheStoreItIsReadAtOnce(ErrorCode why) throws Exception {
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();
        SteppedStore away = stepped(new StoreId("away"));
        away.fail(true);
        Upstream.Above above = new Upstream.Above(
                2, List.of(above(away, 1, why, first), above(away, 0, ErrorCode.HELPER_UNAVAILABLE, second)));
        store.allow(LENGTH);
        below(block -> above).assertGetsAll();
        assertThat(first).containsExactly(0L);
        assertThat(second).isEmpty();
        assertThat(counted(CacheMetrics.FETCHED)).isEqualTo(LENGTH);
    }

    /**
     * Readers may know another replica, and other switches would read the same one. A reader that named another store
     * hears no blame of it; only the switch that read the replica reports it.
     */
    @Test
    void badReplicaFoundByASwitchAboveIsReportedToTheReaders() throws Exception {
        List<Long> asked = new ArrayList<>();
        SteppedStore bad = stepped(new StoreId("bad"));
        Upstream.Above above = new Upstream.Above(1, List.of(above(bad, 0, ErrorCode.REPLICA_CORRUPT, asked)));
        List<ReplicaReport> reports = new CopyOnWriteArrayList<>();
        Requester requester = reporting(block -> above, reports);
        Reader first = new Reader(requester, Fetches.whole(chunk, bytes), Fetches.STORE);
        Reader joining = new Reader(requester, Fetches.whole(chunk, bytes), OTHER);
        bad.fail(true);
        bad.allow(1);
        assertThat(first.ending.failure()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(joining.ending.failure()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(store.opened()).isZero();
        assertThat(reports).isEmpty();
    }

    /** A requester with switches above, on behalf of a client in a class. */
    private Requester through(Upstream.Parent parent, String client, Priority priority) {
        Upstream.Above above = new Upstream.Above(1, List.of(parent));
        return new Requester(new Tenant(client, "v", priority), OptionalLong.empty(), id -> store, block -> above);
    }

    /** Four reads of the store occupy all threads. */
    @Test
    void requestToASwitchAboveWaitsForItsTurn() throws Exception {
        WantedBlock whole = Fetches.whole(chunk, bytes);
        List<Reader> before = IntStream.range(0, 4)
                .mapToObj(leaf -> new Reader(whole.part(leaf, 1), Fetches.STORE))
                .toList();
        await().until(() -> store.opened() == 4);
        List<Long> asked = new CopyOnWriteArrayList<>();
        other.allow(LENGTH);
        Upstream.Parent parent = above(other, 0, ErrorCode.HELPER_UNAVAILABLE, asked);
        Reader reader = new Reader(through(parent, "client", Priority.BATCH), whole.part(4, 1), Fetches.STORE);
        Reader cancelled = new Reader(through(parent, "client", Priority.BATCH), whole.part(5, 1), Fetches.STORE);
        assertThat(asked).isEmpty();
        cancelled.attempt.cancel();
        assertThat(cancelled.ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        store.allow(LENGTH);
        reader.ending.block().close();
        for (Reader first : before) {
            first.ending.block().close();
        }
        assertThat(asked).containsExactly(4L * LEAF);
    }

    /** The store occupies the only thread, and each client has one place in the queue. */
    @Test
    void requestBeyondTheClientsQueueAsksNoOtherSource() throws Exception {
        oneThread(1 << 20, 1);
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader before = new Reader(whole.part(0, 1), Fetches.STORE);
        await().until(() -> store.opened() == 1);
        List<Long> asked = new CopyOnWriteArrayList<>();
        other.allow(LENGTH);
        Upstream.Parent parent = above(other, 0, ErrorCode.HELPER_UNAVAILABLE, asked);
        Reader first = new Reader(through(parent, "greedy", Priority.BATCH), whole.part(1, 1), Fetches.STORE);
        Reader second = new Reader(through(parent, "greedy", Priority.BATCH), whole.part(2, 1), Fetches.STORE);
        Reader another = new Reader(through(parent, "another", Priority.BATCH), whole.part(3, 1), Fetches.STORE);
        assertThat(second.ending.failure()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(asked).isEmpty();
        store.allow(LENGTH);
        for (Reader served : List.of(before, first, another)) {
            served.ending.block().close();
        }
        assertThat(asked).containsExactlyInAnyOrder((long) LEAF, 3L * LEAF);
        assertThat(store.opened()).isEqualTo(1);
    }

    /** The switch above may not have begun itself, so it hears of the more urgent class. */
    @Test
    void silentSwitchAboveIsAskedAgainForAMoreUrgentReader() throws Exception {
        List<Long> warmed = new CopyOnWriteArrayList<>();
        List<Long> urged = new CopyOnWriteArrayList<>();
        SteppedStore late = stepped(new StoreId("late"));
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader warming = new Reader(
                through(above(late, 0, ErrorCode.HELPER_UNAVAILABLE, warmed), "warming", Priority.PREFETCH),
                whole,
                Fetches.STORE);
        await().until(() -> late.opened() == 1);
        other.allow(LENGTH);
        Reader urgent = new Reader(
                through(above(other, 0, ErrorCode.HELPER_UNAVAILABLE, urged), "client", Priority.INTERACTIVE),
                whole,
                Fetches.STORE);
        urgent.assertGetsAll();
        warming.assertGetsAll();
        assertThat(warmed).containsExactly(0L);
        assertThat(urged).containsExactly(0L);
        assertThat(store.opened()).isZero();
        late.allow(LENGTH);
    }

    /** Sending the block twice would cost bandwidth. The only thread is free, so that requests are sent at once. */
    @Test
    void switchAboveIsNotAskedAgainForAnotherClientBeforeItsAnswer() throws Exception {
        oneThread(1 << 20, 64);
        CompletableFuture<BlockAttempt> begun = new CompletableFuture<>();
        Upstream.Parent connecting = new Upstream.Parent() {
            @Override
            public int height() {
                return 0;
            }

            @Override
            public BlockAttempt start(
                    WantedBlock block, StoreId from, BlockAttempt.Listener listener, LeafMemory room) {
                BlockAttempt silent = new IdleAttempt(() -> listener.cancelled(0));
                assertThat(begun.complete(silent)).isTrue();
                return silent;
            }
        };
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader first = new Reader(through(connecting, "client", Priority.BATCH), whole, Fetches.STORE);
        assertThat(begun).succeedsWithin(10, TimeUnit.SECONDS);
        List<Long> asked = new CopyOnWriteArrayList<>();
        Upstream.Parent again = above(other, 0, ErrorCode.HELPER_UNAVAILABLE, asked);
        Reader second = new Reader(through(again, "another", Priority.BATCH), whole, Fetches.STORE);
        Reader last = new Reader(
                reporting("another", id -> store, new ArrayList<>()), Fetches.whole(Chunks.id(), bytes), Fetches.STORE);
        assertThat(last.ending.failure()).isEqualTo(ErrorCode.REPLICA_MISSING);
        first.attempt.cancel();
        second.attempt.cancel();
        assertThat(second.ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(asked).isEmpty();
    }

    /** A switch that delivers has begun. */
    @Test
    void deliveringSwitchAboveIsNotAskedAgainForAMoreUrgentReader() throws Exception {
        List<Long> warmed = new CopyOnWriteArrayList<>();
        List<Long> urged = new CopyOnWriteArrayList<>();
        SteppedStore gives = stepped(new StoreId("gives"));
        WantedBlock whole = Fetches.whole(chunk, bytes);
        Reader warming = new Reader(
                through(above(gives, 0, ErrorCode.HELPER_UNAVAILABLE, warmed), "warming", Priority.PREFETCH),
                whole,
                Fetches.STORE);
        gives.allow(LEAF);
        await().until(() -> warming.attempt.bytesRead() == LEAF);
        Reader urgent = new Reader(
                through(above(other, 0, ErrorCode.HELPER_UNAVAILABLE, urged), "client", Priority.INTERACTIVE),
                whole,
                Fetches.STORE);
        gives.allow(LENGTH);
        urgent.assertGetsAll();
        warming.assertGetsAll();
        assertThat(urged).isEmpty();
    }

    @Test
    void readerIsRefusedWhenTheFetchHasAGreaterHeight() throws Exception {
        List<Long> asked = new ArrayList<>();
        SteppedStore parent = stepped(new StoreId("parent"));
        Upstream.Above above = new Upstream.Above(2, List.of(above(parent, 1, ErrorCode.HELPER_UNAVAILABLE, asked)));
        Reader first = below(block -> above);
        Requester lower = new Requester(
                Fetches.requester(id -> store).tenant(),
                Fetches.requester(id -> store).deadlineNanos(),
                id -> store,
                new Upstream() {
                    @Override
                    public Above of(WantedBlock block) {
                        return new Above(0, List.of());
                    }

                    @Override
                    public int highest() {
                        return 1;
                    }
                });
        assertThatThrownBy(
                        () -> fetching.start(lower, Fetches.whole(chunk, bytes), Fetches.STORE, new Fetches.Ending()))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        parent.allow(LENGTH);
        first.assertGetsAll();
    }
}
