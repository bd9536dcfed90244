package io.cloudmw.helper.switching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.SteppedStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class CacheFillTest {
    private static final int LEAF = Fetches.LEAF;
    private static final int LENGTH = 9 * LEAF + 100;

    @TempDir
    private Path directory;

    private final ChunkId chunk = Chunks.id();
    private final byte[] bytes = Chunks.bytes(1, LENGTH);
    private final WantedBlock whole = Fetches.whole(chunk, bytes);
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private SteppedStore store;
    private ByteBudget memory;
    private Spool spool;
    private StoreFetcher fetcher;
    private LeafCache cache;
    private SharedFetcher fetching;

    @BeforeEach
    void start() throws IOException {
        ChunkStore holding = new MemoryChunkStore(Fetches.STORE, 1 << 20);
        holding.put(chunk, Chunks.source(bytes));
        store = new SteppedStore(holding);
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1 << 20));
        fetcher = new StoreFetcher(
                Fetches.pools(timer, 4, 64),
                new StoreFetcher.Limits(LENGTH, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
        open(1 << 20, true);
    }

    private void open(long memoryBytes, boolean onDisk) throws IOException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        memory = new ByteBudget(memoryBytes);
        CacheMetrics counts = new CacheMetrics(meters);
        Optional<DiskCache> disk =
                onDisk ? Optional.of(DiskCache.open(directory.resolve("cache"), 1 << 20, counts)) : Optional.empty();
        cache = new LeafCache(new LeafMemory(memory, spool, PooledByteBufAllocator.DEFAULT, 1), disk, counts);
        fetching = new SharedFetcher(fetcher, cache, new SwitchMetrics(meters), store -> false);
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

    private record End(CacheFill.Outcome outcome, Optional<CloudMwException> cause) {}

    /** Tests of filling the cache with a block. */
    private final class Kept {
        final CompletableFuture<End> end = new CompletableFuture<>();
        final CacheFill keeping;

        Kept(WantedBlock block) throws CloudMwException {
            keeping = fetching.keep(
                    Fetches.requester(id -> store),
                    block,
                    Fetches.STORE,
                    (outcome, cause) -> end.complete(new End(outcome, cause)));
        }

        CacheFill.Outcome outcome() throws Exception {
            End ended = end.get(30, TimeUnit.SECONDS);
            assertThat(ended.cause()).isEmpty();
            return ended.outcome();
        }
    }

    private static CacheFill.Outcome ofStore(long kept, long requests, long fromStore) {
        return new CacheFill.Outcome(kept, 0, Map.of(Fetches.STORE, StoreUsage.ofReads(requests, fromStore)));
    }

    @Test
    void fillFetchesOnlyMissingLeaves() throws Exception {
        store.allow(LENGTH);
        assertThat(new Kept(whole.part(3, 2)).outcome()).isEqualTo(ofStore(0, 1, 2 * LEAF));
        assertThat(fetching.keptBytes(whole)).isEqualTo(2 * LEAF);
        assertThat(new Kept(whole).outcome()).isEqualTo(ofStore(2 * LEAF, 2, LENGTH - 2 * LEAF));
        assertThat(fetching.keptBytes(whole)).isEqualTo(LENGTH);
        assertThat(new Kept(whole).outcome()).isEqualTo(CacheFill.Outcome.ofKept(LENGTH));
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    /** The listener hears of the end when all leaves are on the disk; only the cache holds memory then. */
    @Test
    void fillEndsAfterTheLastLeafWasCached() throws Exception {
        cache.close();
        open(4L * LEAF, true);
        store.allow(LENGTH);
        assertThat(new Kept(whole).outcome().keptBytes()).isZero();
        assertThat(fetching.keptBytes(whole)).isEqualTo(LENGTH);
        assertThat(cache.capacityBytes()).isEqualTo(1 << 20);
        cache.close();
        open(4L * LEAF, true);
        assertThat(fetching.keptBytes(whole)).isEqualTo(LENGTH);
    }

    @Test
    void leafWithoutRoomCountsAsMissing() throws Exception {
        cache.close();
        open(4L * LEAF, false);
        store.allow(LENGTH);
        assertThat(new Kept(whole).outcome()).isEqualTo(ofStore(0, 1, LENGTH));
        assertThat(fetching.keptBytes(whole)).isLessThanOrEqualTo(cache.capacityBytes());
        assertThat(cache.capacityBytes()).isEqualTo(3 * LEAF);
        assertThat(cache.passingBytes()).isEqualTo(LEAF);
    }

    @Test
    void fillAndReadersShareFetches() throws Exception {
        Fetches.Ending reader = new Fetches.Ending();
        var unused = fetching.start(Fetches.requester(id -> store), whole.part(0, 4), Fetches.STORE, reader);
        Kept kept = new Kept(whole);
        Fetches.Ending late = new Fetches.Ending();
        var unusedToo = fetching.start(Fetches.requester(id -> store), whole, Fetches.STORE, late);
        store.allow(LENGTH);
        assertThat(kept.outcome()).isEqualTo(ofStore(0, 2, LENGTH));
        reader.block().close();
        late.block().close();
        assertThat(store.given()).isEqualTo(LENGTH);
    }

    @Test
    void cancelledFillStopsItsFetchAndKeepsArrivedLeaves() throws Exception {
        Kept kept = new Kept(whole);
        store.allow(3L * LEAF + 1);
        await().until(() -> fetching.keptBytes(whole) == 3 * LEAF);
        kept.keeping.cancel();
        await().until(() -> store.closed() == 1);
        assertThat(kept.end).isNotDone();
        store.allow(LENGTH);
        assertThat(new Kept(whole).outcome()).isEqualTo(ofStore(3 * LEAF, 1, LENGTH - 3 * LEAF));
    }

    @Test
    void failedFillReportsTheLeavesThatCame() throws Exception {
        Kept kept = new Kept(whole);
        store.allow(2L * LEAF);
        await().until(() -> fetching.keptBytes(whole) == 2 * LEAF);
        store.fail(true);
        End end = kept.end.get(30, TimeUnit.SECONDS);
        assertThat(end.cause())
                .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
        assertThat(end.outcome()).isEqualTo(ofStore(0, 1, 2 * LEAF));
    }
}
