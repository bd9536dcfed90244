package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.proto.v1.BlockForfeited;
import io.cloudmw.proto.v1.TransferEvent;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of several clients at one helper with one thread. Its disk stalls after {@link #STALL} bytes of a read, so that
 * a client that wrongly comes after a longer chunk gets nothing.
 */
@Timeout(60)
final class HelperScheduleTest {
    private static final int STREAMS = 64;
    private static final int STALL = 3 << 19;
    /** Indexes of the test's chunks. */
    private static final int SMALL = 0;

    private static final int LARGE = 1;
    private static final int STALLING = 2;

    private final byte[] small = new byte[10_000];
    /** A chunk longer than a client's turn. */
    private final byte[] large = new byte[STALL - ScriptedClient.LEAF];

    private final byte[] stalling = new byte[2 * STALL];

    @TempDir
    private Path directory;

    private HelperCluster cluster(String... more) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("helper.fetch.threads", "1"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return new HelperCluster(directory, settings, STALL);
    }

    private void upload(HelperCluster cluster, ScriptedClient client) throws Exception {
        List<byte[]> chunks = List.of(small, large, stalling);
        for (int index = 0; index < chunks.size(); index++) {
            byte[] chunk = chunks.get(index);
            client.upload(0, index, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private static ScriptedClient client(HelperCluster cluster, int lanes) throws Exception {
        return new ScriptedClient(cluster, lanes, BulkOptions.defaults());
    }

    /** Occupies the helper's only thread until its block is withdrawn. */
    private void occupy(HelperCluster cluster, ScriptedClient holder) throws Exception {
        upload(cluster, holder);
        holder.begin();
        var unused = holder.issueTo(0, 0, STALLING, stalling);
        await().until(() -> count(cluster, ScheduleMetrics.WAIT, Priority.BATCH) == 1);
    }

    private static double queued(HelperCluster cluster, Priority priority) {
        return cluster.meters
                .get(0)
                .get(ScheduleMetrics.QUEUED)
                .tags(ScheduleMetrics.POOL, "fetch", ScheduleMetrics.PRIORITY, priority.label())
                .gauge()
                .value();
    }

    private static long count(HelperCluster cluster, String timer, Priority priority) {
        return cluster.meters
                .get(0)
                .get(timer)
                .tags(ScheduleMetrics.POOL, "fetch", ScheduleMetrics.PRIORITY, priority.label())
                .timer()
                .count();
    }

    @Test
    void clientWith64StreamsGetsHalfBesideAnotherClient() throws Exception {
        try (HelperCluster cluster = cluster();
                ScriptedClient holder = client(cluster, 1);
                ScriptedClient greedy = client(cluster, STREAMS);
                ScriptedClient reader = client(cluster, 1)) {
            occupy(cluster, holder);
            greedy.begin();
            CompletableFuture<byte[]> first = greedy.issueTo(0, 0, LARGE, large);
            for (int lane = 1; lane < STREAMS; lane++) {
                var unused = greedy.issueTo(lane, lane, STALLING, stalling);
            }
            await().until(() -> queued(cluster, Priority.BATCH) == STREAMS);
            reader.begin();
            CompletableFuture<byte[]> read = reader.issueTo(0, 0, SMALL, small);
            await().until(() -> queued(cluster, Priority.BATCH) == STREAMS + 1);

            holder.withdraw(0);

            assertThat(first).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(large);
            assertThat(read).as("before the second of the 64").succeedsWithin(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void interactiveReadRunsBeforeABatchTransfer() throws Exception {
        try (HelperCluster cluster = cluster();
                ScriptedClient holder = client(cluster, 1);
                ScriptedClient batch = client(cluster, 1);
                ScriptedClient urgent = client(cluster, 1).withPriority(Priority.INTERACTIVE)) {
            occupy(cluster, holder);
            batch.begin();
            var unused = batch.issueTo(0, 0, STALLING, stalling);
            await().until(() -> queued(cluster, Priority.BATCH) == 1);
            urgent.begin();
            CompletableFuture<byte[]> read = urgent.issueTo(0, 0, SMALL, small);
            await().until(() -> queued(cluster, Priority.INTERACTIVE) == 1);

            holder.withdraw(0);

            assertThat(read).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(small);
        }
    }

    @Test
    void attemptsBeyondAClientsLimitAreRefusedWithARetryDelay() throws Exception {
        try (HelperCluster cluster = cluster("helper.schedule.client-queue", "2");
                ScriptedClient holder = client(cluster, 1);
                ScriptedClient greedy = client(cluster, 4);
                ScriptedClient reader = client(cluster, 1)) {
            occupy(cluster, holder);
            greedy.begin();
            List<CompletableFuture<byte[]>> admitted =
                    List.of(greedy.issueTo(0, 0, SMALL, small), greedy.issueTo(1, 1, SMALL, small));
            await().until(() -> queued(cluster, Priority.BATCH) == 2);
            var unusedThird = greedy.issueTo(2, 2, SMALL, small);
            var unusedFourth = greedy.issueTo(3, 3, SMALL, small);
            await().until(() -> forfeits(greedy).size() == 2);
            reader.begin();
            CompletableFuture<byte[]> read = reader.issueTo(0, 0, SMALL, small);
            await().until(() -> queued(cluster, Priority.BATCH) == 3);

            holder.withdraw(0);

            assertThat(forfeits(greedy)).allSatisfy(forfeit -> {
                assertThat(forfeit.getBlockId()).isIn(2, 3);
                assertThat(forfeit.getErrorCode()).isEqualTo(ErrorCode.OVERLOADED.name());
                assertThat(forfeit.getRetryAfterMillis()).isPositive();
            });
            admitted.forEach(block -> assertThat(block).succeedsWithin(20, TimeUnit.SECONDS));
            assertThat(read).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(small);
        }
    }

    private static List<BlockForfeited> forfeits(ScriptedClient client) {
        return client.events.get(0).stream()
                .filter(event -> event.getEventCase() == TransferEvent.EventCase.FORFEITED)
                .map(TransferEvent::getForfeited)
                .toList();
    }

    @Test
    void aClientHasOnlySoManyTransfers_andLeavesRoomForOthers() throws Exception {
        try (HelperCluster cluster = cluster("helper.transfers.client-limit", "1");
                ScriptedClient greedy = client(cluster, 1);
                ScriptedClient other = client(cluster, 1)) {
            greedy.begin();
            await().until(() -> !greedy.events.get(0).isEmpty());
            greedy.begin();
            other.begin();

            assertThat(Status.fromThrowable(greedy.ends.get(1).get(20, TimeUnit.SECONDS)))
                    .satisfies(status -> assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED))
                    .satisfies(status -> assertThat(status.getDescription()).contains("limit: 1"));
            assertThat(RpcErrors.fromStatus(greedy.ends.get(1).join(), ErrorCode.HELPER_UNAVAILABLE, "h0")
                            .retryAfter())
                    .as("when to come again")
                    .isPresent();
            await().until(() -> !other.events.get(0).isEmpty());
            assertThat(greedy.ends.get(0)).isNotDone();
        }
    }
}
