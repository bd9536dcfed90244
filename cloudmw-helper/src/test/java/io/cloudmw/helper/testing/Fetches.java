package io.cloudmw.helper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.fetch.Upstream;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** Blocks, attempts and requesters for tests. */
public final class Fetches {
    public static final int LEAF = 4096;
    public static final StoreId STORE = new StoreId("s");

    /** A generous limit for what must happen. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    private Fetches() {}

    /** A whole chunk as block 0. */
    public static WantedBlock whole(ChunkId chunk, byte[] bytes) {
        return whole(chunk, bytes, false);
    }

    /** A whole chunk as an ordinary or extra block. */
    public static WantedBlock whole(ChunkId chunk, byte[] bytes, boolean extra) {
        return whole(chunk, bytes, LEAF, extra);
    }

    /** A whole chunk with leaves of another size. */
    public static WantedBlock whole(ChunkId chunk, byte[] bytes, int leafSizeBytes) {
        return whole(chunk, bytes, leafSizeBytes, false);
    }

    /** A whole chunk as a block with one entrant, which relays it leaf by leaf while it fetches. */
    public static WantedBlock relayed(ChunkId chunk, byte[] bytes) {
        WantedBlock raced = whole(chunk, bytes);
        Block block = new Block(
                raced.race().id(),
                raced.race().chunkIndex(),
                raced.race().range(),
                raced.race().replicas(),
                List.of(new Entrant(new RacerId(0), 0)),
                BlockRule.SOLE);
        return new WantedBlock(
                block,
                raced.leaves(),
                raced.chunkLength(),
                raced.replicas(),
                raced.extra(),
                raced.untilMillis(),
                raced.trace());
    }

    /** A whole chunk in another store. */
    public static WantedBlock whole(ChunkId chunk, byte[] bytes, StoreId store) {
        WantedBlock block = whole(chunk, bytes);
        return new WantedBlock(
                block.race(),
                block.leaves(),
                block.chunkLength(),
                List.of(store),
                block.extra(),
                block.untilMillis(),
                block.trace());
    }

    private static WantedBlock whole(ChunkId chunk, byte[] bytes, int leafSizeBytes, boolean extra) {
        int[] crcs = new int[Chunk.leafCount(bytes.length, leafSizeBytes)];
        for (int leaf = 0; leaf < crcs.length; leaf++) {
            CRC32C crc = new CRC32C();
            int first = leaf * leafSizeBytes;
            crc.update(bytes, first, Math.min(leafSizeBytes, bytes.length - first));
            crcs[leaf] = (int) crc.getValue();
        }
        ByteRange range = new ByteRange(0, bytes.length);
        return new WantedBlock(
                new Block(new BlockId(0), 0, range, 1, List.of()),
                new LeafRange(chunk, range, leafSizeBytes, crcs),
                bytes.length,
                List.of(STORE),
                extra,
                Long.MAX_VALUE,
                Optional.empty());
    }

    /** The bytes of a block, sent leaf by leaf. */
    public static byte[] sent(FetchedBlock block) {
        FakeBulkStream stream = new FakeBulkStream();
        stream.open(new byte[0], new IgnoringListener());
        stream.allow(block.block().length());
        IntStream.range(0, block.block().leaves().leaves())
                .forEach(leaf -> assertThat(block.send(stream, leaf)).isCompleted());
        return stream.sent.toByteArray();
    }

    /** A requester that uses these stores. */
    public static Requester requester(StoreResolver stores) {
        return new Requester(new Tenant("test", "v", Priority.BATCH), OptionalLong.empty(), stores, Upstream.NONE);
    }

    /** Pools with one thread and one place in the queue. */
    public static StoreFetcher.Pools pools(ScheduledExecutorService timer) {
        return pools(timer, 1, 1);
    }

    /** Pools with some threads and places in the queue. */
    public static StoreFetcher.Pools pools(ScheduledExecutorService timer, int threads, int queue) {
        return pools(timer, threads, queue, queue);
    }

    /** Pools with a limit on each client's places in the queue. */
    public static StoreFetcher.Pools pools(ScheduledExecutorService timer, int threads, int queue, int clientQueue) {
        ScheduleLimits limits = ScheduleLimits.uncapped(queue, clientQueue);
        return new StoreFetcher.Pools(
                pool("fetch", timer, threads, limits), pool("fetch-extra", timer, threads, limits));
    }

    private static FairPool pool(String name, ScheduledExecutorService timer, int threads, ScheduleLimits limits) {
        return new FairPool(
                name, threads, limits, Ticker.system(), timer, new ScheduleMetrics(new SimpleMeterRegistry(), name));
    }

    /** A listener that keeps the end of an attempt. */
    public static class Ending implements BlockAttempt.Listener {
        private final CompletableFuture<FetchedBlock> end = new CompletableFuture<>();
        public final CompletableFuture<Long> progress = new CompletableFuture<>();
        /** Bytes of a cancelled attempt. */
        public volatile long bytes;

        @Override
        public void progressed(long bytes) {
            progress.complete(bytes);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            end.complete(fetched);
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            end.completeExceptionally(cause);
        }

        @Override
        public void cancelled(long fetched) {
            bytes = fetched;
            end.completeExceptionally(new CloudMwException(ErrorCode.CANCELLED, "after " + fetched));
        }

        /** Waits for the block of a finished attempt. */
        public FetchedBlock block() throws Exception {
            return end.get(30, TimeUnit.SECONDS);
        }

        /** Waits for the failure of an attempt. */
        public ErrorCode failure() {
            return end.handle((fetched, error) -> error instanceof CloudMwException known ? known.code() : null)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }
    }
}
