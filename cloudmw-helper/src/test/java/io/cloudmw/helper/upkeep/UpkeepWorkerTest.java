package io.cloudmw.helper.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.metrics.UpkeepMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.remote.HelperConnections;
import io.cloudmw.helper.remote.StoreDirectory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the worker with a scripted coordinator and a bucket in memory. */
final class UpkeepWorkerTest {
    private static final Duration LIFE = Duration.ofMinutes(1);
    private static final Store BUCKET =
            new Store(new StoreId("b"), "domain", new Store.S3("bucket", "r", "", false, ""));

    @TempDir
    private Path directory;

    private final FakeTicker ticker = new FakeTicker();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final BulkTransport transport =
            new BulkTransport("test", 1, BulkOptions.defaults(), Optional.empty(), meters);
    private final HelperConnections connections =
            new HelperConnections(new BulkConnector(transport, "h"), 1, Ticker.system(), Duration.ZERO);
    private final TransferTokens tokens = new TransferTokens(ClusterSecret.of(new byte[32]), () -> 0);
    private final Held store = new Held(new MemoryChunkStore(BUCKET.id(), 1 << 20));
    private final BlockingQueue<TaskBatch.Assignment> given = new LinkedBlockingQueue<>();
    private final BlockingQueue<TaskResult> results = new LinkedBlockingQueue<>();
    private final VersionId version = VersionId.random();
    private long number;
    private Spool spool;
    private UpkeepWorker worker;
    private final CompletableFuture<Void> registration = new CompletableFuture<>();
    private final List<Boolean> askedRegistered = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final FairPool pool = new FairPool(
            "fetch", 2, ScheduleLimits.uncapped(16, 16), Ticker.system(), timer, new ScheduleMetrics(meters, "fetch"));

    /** A store whose deletions may be delayed after their deadline was checked. */
    private static final class Held extends ForwardingChunkStore {
        private final CountDownLatch asked = new CountDownLatch(1);
        private volatile @Nullable CountDownLatch gate;

        Held(ChunkStore store) {
            super(store);
        }

        @Override
        public boolean delete(ChunkId chunk, BooleanSupplier isOver) throws CloudMwException {
            ChunkStore.requireTime(this, chunk, isOver);
            asked.countDown();
            CountDownLatch held = gate;
            assertThat(held == null || awaited(held)).isTrue();
            return delete(chunk);
        }
    }

    @BeforeEach
    void start() throws Exception {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(100_000));
        StoreDirectory stores =
                new StoreDirectory(new HelperId("h"), new OwnDisks(List.of()), connections, described -> store, tokens);
        worker = new UpkeepWorker(this::work, stores, spool, new UpkeepMetrics(meters), ticker, pool, 2);
        worker.start(registration);
        Awaitility.await().until(UpkeepWorkerTest::isAWorkerWaiting);
        registration.complete(null);
    }

    /** Returns whether a thread that asks for tasks has nothing to do now. */
    private static boolean isAWorkerWaiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread ->
                        thread.getName().startsWith("cloudmw-upkeep-") && thread.getState() == Thread.State.WAITING);
    }

    @AfterEach
    void stop() {
        worker.close();
        pool.close();
        timer.shutdownNow();
        connections.close();
        transport.close();
        spool.close();
    }

    private TaskBatch work(List<TaskResult> reported, int room) {
        askedRegistered.add(registration.isDone());
        results.addAll(reported);
        List<TaskBatch.Assignment> assignments = new ArrayList<>();
        given.drainTo(assignments, room);
        return new TaskBatch(assignments, List.of(), List.of(), Duration.ofMillis(20), false);
    }

    private void give(Task task, Duration life) {
        Optional<TransferToken> token = task instanceof Task.OfCopy copy
                ? Optional.of(tokens.issue(new TransferClaims(
                        copy.rights(), copy.file(), copy.chunk().id().version(), Long.MAX_VALUE)))
                : Optional.empty();
        given.add(new TaskBatch.Assignment(++number, task, life, token));
    }

    private TaskResult result() throws InterruptedException {
        TaskResult result = results.poll(1, TimeUnit.MINUTES);
        assertThat(result).isNotNull();
        return result;
    }

    private ChunkId put(long index) throws CloudMwException {
        ChunkId chunk = new ChunkId(version, index);
        store.put(chunk, Chunks.source(new byte[10]));
        return chunk;
    }

    @Test
    void tasksAreAskedForOnlyAfterTheHelperIsRegistered() {
        Awaitility.await().until(() -> !askedRegistered.isEmpty());
        assertThat(askedRegistered).doesNotContain(false);
    }

    @Test
    void storeIsListedPageByPage() throws Exception {
        List<ChunkId> all = new ArrayList<>();
        for (int index = 0; index <= Task.Survey.PAGE; index++) {
            all.add(put(index));
        }
        give(new Task.Survey(BUCKET, ""), LIFE);
        Page<StoredChunk> page = result().listed();
        assertThat(page.items()).extracting(StoredChunk::id).isEqualTo(all.subList(0, Task.Survey.PAGE));
        assertThat(page.items()).allSatisfy(chunk -> assertThat(chunk.bytes()).isPositive());
        assertThat(page.isLast()).isFalse();
        give(new Task.Survey(BUCKET, page.nextToken()), LIFE);
        TaskResult last = result();
        assertThat(last.failure()).isEmpty();
        assertThat(last.listed().items())
                .extracting(StoredChunk::id)
                .isEqualTo(all.subList(Task.Survey.PAGE, all.size()));
        assertThat(last.listed().isLast()).isTrue();
    }

    @Test
    void deletionIsReportedUnlessItIsTooLate() throws Exception {
        ChunkId gone = put(0);
        ChunkId kept = put(1);
        give(new Task.Delete(BUCKET, List.of(gone)), LIFE);
        TaskResult deleted = result();
        assertThat(deleted.failure()).isEmpty();
        assertThat(deleted.bytes()).isEqualTo(10);
        give(new Task.Delete(BUCKET, List.of(kept)), Duration.ZERO);
        assertThat(result().failure()).contains(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(store.list("", 10).items()).extracting(StoredChunk::id).containsExactly(kept);
        assertThat(meters.get(UpkeepMetrics.DELETED).counter().count()).isEqualTo(10);
    }

    /** The delayed deletion would delete the new copy. */
    @Test
    void copyIsRefusedWhileADeletionThereIsDelayed() throws Exception {
        ChunkId chunk = put(0);
        CountDownLatch gate = new CountDownLatch(1);
        store.gate = gate;
        give(new Task.Delete(BUCKET, List.of(chunk)), LIFE);
        assertThat(store.asked.await(1, TimeUnit.MINUTES)).isTrue();
        give(new Task.Copy(described(chunk), BUCKET, FilePath.parse("v:/f"), List.of(), 1), LIFE);
        TaskResult copy = result();
        assertThat(copy.failure()).contains(ErrorCode.OVERLOADED);
        assertThat(copy.blamed()).isEmpty();
        gate.countDown();
        assertThat(result().failure()).isEmpty();
        assertThat(store.length(chunk)).isEmpty();
    }

    /** Otherwise deleting 6 GiB would delay copies as long as 6 GiB of copies, although it moves no bytes. */
    @Test
    void deletionIsNotChargedForItsBytes() throws Exception {
        give(new Task.Delete(BUCKET, List.of(put(0))), LIFE);
        assertThat(result().bytes()).isEqualTo(10);
        assertThat(paid()).isEqualTo(1);
    }

    @Test
    void failedCopyIsChargedForTheBytesRead() throws Exception {
        Chunk wrong = described(put(0));
        give(new Task.Copy(wrong, BUCKET, FilePath.parse("v:/f"), List.of(), 1), LIFE);
        TaskResult copy = result();
        assertThat(copy.failure()).contains(ErrorCode.REPLICA_MISSING);
        assertThat(copy.bytes()).isZero();
        assertThat(paid()).isEqualTo(10);
    }

    /** The cost of upkeep's turns, which is settled once all threads of the pool run something else. */
    private double paid() throws Exception {
        CountDownLatch together = new CountDownLatch(2);
        for (int thread = 0; thread < 2; thread++) {
            pool.submit(new Tenant("test", "", Priority.BATCH), 1, OptionalLong.empty(), () -> {
                together.countDown();
                return awaited(together) ? 1 : 0;
            });
        }
        assertThat(awaited(together)).isTrue();
        return meters.get(ScheduleMetrics.SERVED)
                .tag(ScheduleMetrics.PRIORITY, Priority.REPAIR.label())
                .counter()
                .count();
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A chunk of ten bytes with digests that no copy matches. */
    private static Chunk described(ChunkId chunk) {
        return new Chunk(
                0,
                chunk,
                new ByteRange(0, 10),
                4096,
                new LeafDigests(new int[1], new byte[LeafDigests.SHA256_BYTES]),
                List.of(BUCKET.id()));
    }
}
