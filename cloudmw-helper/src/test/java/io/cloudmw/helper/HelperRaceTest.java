package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.message.WriteResult;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.RaceMetrics;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.proto.v1.AttemptState;
import io.cloudmw.proto.v1.TransferCommand;
import io.cloudmw.proto.v1.TransferEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of races between three helpers with real planes and disks, and a scripted destination. */
@Timeout(60)
final class HelperRaceTest {
    @TempDir
    private Path directory;

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void uploadEverywhere(ScriptedClient client, HelperCluster cluster, int index, byte[] chunk)
            throws Exception {
        WriteResult result = client.upload(index % 3, index, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 3)
                .get(20, TimeUnit.SECONDS);
        assertThat(result.stored()).hasSize(3);
        assertThat(result.owed()).isEmpty();
    }

    private static Stream<TransferEvent> attempts(List<TransferEvent> events, AttemptState state) {
        return events.stream()
                .filter(event -> event.hasAttempt() && event.getAttempt().getState() == state);
    }

    /** Bytes of cancelled attempts: at one leaf per second, at most one leaf. */
    private static List<Long> cancelledBytes(List<TransferEvent> events) {
        return attempts(events, AttemptState.ATTEMPT_STATE_CANCELLED)
                .map(event -> event.getAttempt().getBytes())
                .toList();
    }

    @Test
    void fastestRacerDeliversEachBlockAndTheOthersAreCancelled() throws Exception {
        try (HelperCluster cluster =
                        new HelperCluster(directory, Map.of(), ScriptedClient.LEAF, -1, ScriptedClient.LEAF);
                ScriptedClient client = new ScriptedClient(cluster)) {
            // Several blocks, because a helper that hears of a block late has begun no attempt that could be cancelled.
            byte[][] chunks = new byte[8][];
            for (int i = 0; i < chunks.length; i++) {
                chunks[i] = random(1 + i, i == chunks.length - 1 ? 1 : 640 * 1024 + i * 50_000);
                uploadEverywhere(client, cluster, i, chunks[i]);
            }
            client.begin();
            for (int i = 0; i < chunks.length; i++) {
                CompletableFuture<byte[]> block = client.issue(i, chunks[i]);
                assertThat(block.get(20, TimeUnit.SECONDS)).isEqualTo(chunks[i]);
                client.acknowledge(i);
            }
            await().untilAsserted(() -> {
                for (int loser : new int[] {0, 2}) {
                    List<TransferEvent> heard = client.events.get(loser);
                    assertThat(cancelledBytes(heard)).isNotEmpty().allMatch(bytes -> bytes <= ScriptedClient.LEAF);
                    assertThat(heard.stream()
                                    .filter(TransferEvent::hasLost)
                                    .map(e -> e.getLost().getWinner()))
                            .startsWith(1);
                }
            });
            assertThat(client.offers).startsWith(0, 1).doesNotHaveDuplicates();
            assertThat(cluster.meters.get(1).get(RaceMetrics.WINS).counter().count())
                    .isGreaterThanOrEqualTo(2);
            await().untilAsserted(() -> assertThat(cluster.meters
                            .get(0)
                            .get(RaceMetrics.WASTED)
                            .counter()
                            .count())
                    .isGreaterThanOrEqualTo(cancelledBytes(client.events.get(0)).stream()
                            .mapToDouble(Long::doubleValue)
                            .sum()));
        }
    }

    @Test
    void corruptReplicaIsReportedAndAnotherOneIsRead() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(4, 300_000);
            byte[] corrupt = chunk.clone();
            corrupt[200_000] ^= 1;
            client.upload(
                            0,
                            0,
                            corrupt,
                            ScriptedClient.crcs(corrupt),
                            cluster.stores().subList(0, 1),
                            1)
                    .get(20, TimeUnit.SECONDS);
            client.upload(
                            1,
                            0,
                            chunk,
                            ScriptedClient.crcs(chunk),
                            cluster.stores().subList(1, 2),
                            1)
                    .get(20, TimeUnit.SECONDS);
            client.begin();
            assertThat(client.issue(0, chunk, ScriptedClient.crcs(chunk), 1).get(20, TimeUnit.SECONDS))
                    .isEqualTo(chunk);
            await().untilAsserted(() -> assertThat(faults(client)).containsExactly("REPLICA_CORRUPT d0"));
        }
    }

    @Test
    void corruptReplicaOfASoleEntrantIsRejectedAndReportedAfterADoubt() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(10, 300_000);
            byte[] corrupt = chunk.clone();
            corrupt[200_000] ^= 1;
            uploadTo(client, cluster, corrupt);
            client.begin();
            assertThat(client.issueTo(0, 0, chunk))
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT));
            // Three whole leaves and nothing of the fourth.
            byte[] good = Arrays.copyOf(Arrays.copyOf(chunk, 3 * ScriptedClient.LEAF), chunk.length);
            assertThat(client.received).containsEntry(0, good);
            client.doubt(0, 0);
            client.send(0, TransferCommand.newBuilder().setWithdrawBlock(0).build());
            await().untilAsserted(() -> assertThat(client.events.get(0)).anyMatch(TransferEvent::hasJudgedBlock));
            assertThat(faults(client)).containsExactly("REPLICA_CORRUPT d0");
            assertThat(cluster.meters.get(0).get(RaceMetrics.FAULTS).counter().count())
                    .isEqualTo(1);
        }
    }

    @Test
    void goodReplicaIsNotReportedWhenTheDestinationDoubtsIt() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(11, 300_000);
            uploadTo(client, cluster, chunk);
            client.begin();
            assertThat(client.issueTo(0, 0, chunk).get(20, TimeUnit.SECONDS)).isEqualTo(chunk);
            client.doubt(0, 0);
            client.doubt(0, 7);
            await().untilAsserted(() -> assertThat(client.events.get(0).stream()
                            .filter(TransferEvent::hasJudgedBlock)
                            .map(TransferEvent::getJudgedBlock))
                    .containsExactlyInAnyOrder(0, 7));
            assertThat(faults(client)).isEmpty();
        }
    }

    @Test
    void soleEntrantDetectsATruncatedReplica() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(12, 300_000);
            uploadTo(client, cluster, Arrays.copyOf(chunk, 299_999));
            client.begin();
            var unused = client.issueTo(0, 0, chunk);
            await().untilAsserted(() -> assertThat(faults(client)).containsExactly("REPLICA_CORRUPT d0"));
        }
    }

    private static void uploadTo(ScriptedClient client, HelperCluster cluster, byte[] chunk) throws Exception {
        client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                .get(20, TimeUnit.SECONDS);
    }

    private static List<String> faults(ScriptedClient client) {
        return client.events.get(0).stream()
                .filter(TransferEvent::hasFault)
                .map(event ->
                        event.getFault().getErrorCode() + " " + event.getFault().getStoreId())
                .toList();
    }

    @Test
    void blockWithoutAnyReplicaIsForfeited() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            client.begin();
            CompletableFuture<byte[]> block = client.issue(0, random(5, 1000));
            await().untilAsserted(() -> assertThat(client.events)
                    .allSatisfy(heard -> assertThat(heard).anyMatch(TransferEvent::hasForfeited)));
            assertThat(block).isNotDone();
        }
    }

    @Test
    void chunkOfAnotherVersionIsFetchedOnlyWithATokenForThatVersion() throws Exception {
        ChunkId shared = new ChunkId(VersionId.random(), 0);
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1)) {
            for (Optional<TransferToken> token : List.of(
                    Optional.<TransferToken>empty(),
                    Optional.of(cluster.token(TransferRight.READ, VersionId.random())),
                    Optional.of(cluster.token(TransferRight.WRITE, shared.version())),
                    Optional.of(TransferToken.of(new byte[64])))) {
                try (ScriptedClient client = new ScriptedClient(cluster)) {
                    client.begin();
                    client.issueOf(shared, token);
                    assertThat(client.ends.get(0).get(20, TimeUnit.SECONDS)).hasMessageContaining("UNAUTHENTICATED");
                }
            }
            try (ScriptedClient client = new ScriptedClient(cluster)) {
                client.begin();
                client.issueOf(shared, Optional.of(cluster.token(TransferRight.READ, shared.version())));
                await().untilAsserted(() ->
                        assertThat(client.events.get(0)).as("nobody has it").anyMatch(TransferEvent::hasForfeited));
            }
        }
    }

    @Test
    void writeAnswersAtItsQuorumAndNamesTheMissingCopies() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1, -1, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(6, 5000);
            cluster.helpers.get(2).close();
            WriteResult result = client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 2)
                    .get(20, TimeUnit.SECONDS);
            assertThat(result.stored()).extracting("value").containsExactlyInAnyOrder("d0", "d1");
            assertThat(result.owed()).extracting("value").containsExactly("d2");
        }
    }

    @Test
    void writeWithWrongChecksumsIsRefused() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(7, 5000);
            assertThat(client.upload(0, 0, chunk, new int[] {42}, cluster.stores(), 1))
                    .failsWithin(20, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT));
            assertThat(Files.exists(directory.resolve("disk-0"))).isTrue();
        }
        try (DiskChunkStore disk = DiskChunkStore.open(
                new io.cloudmw.core.model.StoreId("d0"), directory.resolve("disk-0"), 0, path -> 1L << 40)) {
            assertThat(disk.list("", 10).items()).isEmpty();
        }
    }

    @Test
    void transferIsCancelledAndReportedWhenTheDestinationDisconnects() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), 1024, 1024);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(8, 200_000);
            client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 2)
                    .get(20, TimeUnit.SECONDS);
            client.begin();
            CompletableFuture<byte[]> block = client.issue(0, chunk);
            await().untilAsserted(() -> assertThat(client.events)
                    .allSatisfy(heard -> assertThat(attempts(heard, AttemptState.ATTEMPT_STATE_STARTED))
                            .hasSize(1)));
            client.hangUp();
            for (CompletableFuture<Throwable> end : client.ends) {
                assertThat(end.get(20, TimeUnit.SECONDS)).hasMessage("completed");
            }
            assertThat(client.events)
                    .allSatisfy(heard -> assertThat(attempts(heard, AttemptState.ATTEMPT_STATE_CANCELLED))
                            .hasSize(1));
            await().untilAsserted(() -> assertThat(cluster.meters)
                    .allSatisfy(meters -> assertThat(
                                    meters.get(RaceMetrics.CANCELLED).counter().count())
                            .isEqualTo(1)));
            assertThat(block).isNotDone();
        }
    }

    /** The destination wants two leaves of a cut-through block with five leaves. */
    @Test
    void shortenedBlockWastesOnlyItsRestAndCountsNoFailure() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(12, 5 * ScriptedClient.LEAF);
            client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                    .get(20, TimeUnit.SECONDS);
            client.begin();
            client.takeOnly(2 * ScriptedClient.LEAF);
            client.issueTo(0, 0, chunk).get(20, TimeUnit.SECONDS);
            await().until(() -> attempts(client.events.get(0), AttemptState.ATTEMPT_STATE_FINISHED)
                            .count()
                    == 1);
            assertThat(count(cluster, RaceMetrics.WINS))
                    .as("before the destination says that it has it")
                    .isZero();
            client.acknowledge(0);
            await().until(() -> count(cluster, RaceMetrics.WASTED) > 0);
            assertThat(count(cluster, RaceMetrics.WINS)).isEqualTo(1);
            assertThat(count(cluster, RaceMetrics.RELAYED)).isEqualTo(2 * ScriptedClient.LEAF);
            assertThat(count(cluster, RaceMetrics.WASTED)).isEqualTo(3 * ScriptedClient.LEAF);
            await().until(() -> count(cluster, RaceMetrics.RELAYS) == 1);
            assertThat(count(cluster, RaceMetrics.RELAYS_FAILED)).isZero();
        }
    }

    /** The slow fetch ends when the destination withdraws the block, since another helper delivers the rest. */
    @Test
    void handedOverBlockWastesNoSentByteAndCountsNoWin() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), ScriptedClient.LEAF);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(13, 50 * ScriptedClient.LEAF);
            client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                    .get(20, TimeUnit.SECONDS);
            client.begin();
            client.takeOnly(ScriptedClient.LEAF);
            client.issueTo(0, 0, chunk).get(20, TimeUnit.SECONDS);
            client.send(0, TransferCommand.newBuilder().setWithdrawBlock(0).build());
            await().atMost(Duration.ofMinutes(1)).until(() -> count(cluster, RaceMetrics.RELAYED) > 0);
            assertThat(count(cluster, RaceMetrics.RELAYED)).isEqualTo(ScriptedClient.LEAF);
            await().atMost(Duration.ofMinutes(1)).until(() -> count(cluster, RaceMetrics.RELAYS) == 1);
            assertThat(count(cluster, RaceMetrics.RELAYS_FAILED)).isZero();
            assertThat(count(cluster, RaceMetrics.WINS)).isZero();
            assertThat(count(cluster, RaceMetrics.WASTED))
                    .as("what arrived and was not sent: a leaf each second")
                    .isLessThan(49 * ScriptedClient.LEAF);
        }
    }

    private static double count(HelperCluster cluster, String meter) {
        return cluster.meters.get(0).get(meter).counter().count();
    }

    private static final int MANY = 16;

    private static byte[][] uploadMany(ScriptedClient client, HelperCluster cluster) throws Exception {
        byte[][] chunks = new byte[MANY][];
        for (int i = 0; i < MANY; i++) {
            chunks[i] = random(20 + i, 500_000);
            client.upload(0, i, chunks[i], ScriptedClient.crcs(chunks[i]), cluster.stores(), 1)
                    .get(20, TimeUnit.SECONDS);
        }
        client.begin();
        return chunks;
    }

    private static List<CompletableFuture<byte[]>> issueAll(ScriptedClient client, byte[][] chunks) {
        return IntStream.range(0, MANY)
                .mapToObj(i -> client.issueTo(i, i, chunks[i]))
                .toList();
    }

    private static void assertDelivered(ScriptedClient client, List<CompletableFuture<byte[]>> blocks, byte[][] chunks)
            throws Exception {
        for (int i = 0; i < MANY; i++) {
            assertThat(blocks.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(chunks[i]);
        }
        assertThat(client.events.get(0)).noneMatch(TransferEvent::hasForfeited);
        assertThat(attempts(client.events.get(0), AttemptState.ATTEMPT_STATE_STARTED)
                        .map(event -> event.getAttempt().getBlockId()))
                .as("nothing is fetched twice")
                .doesNotHaveDuplicates();
    }

    /** A single thread serves sixteen lanes. */
    @Test
    void attemptsOfEveryLaneWaitForAThreadWithoutBeingRefused() throws Exception {
        Map<String, String> limits = Map.of("helper.fetch.threads", "1", "helper.transfers.limit", "1");
        try (HelperCluster cluster = new HelperCluster(directory, limits, -1);
                ScriptedClient client = new ScriptedClient(cluster, MANY, BulkOptions.defaults())) {
            byte[][] chunks = uploadMany(client, cluster);
            assertDelivered(client, issueAll(client, chunks), chunks);
        }
    }

    @Test
    void queuedAttemptTimesOutAsOverloadedWithoutAskingItsStore() throws Exception {
        Map<String, String> limits = Map.of("helper.fetch.threads", "1", "helper.fetch.wait", "300ms");
        try (HelperCluster cluster = new HelperCluster(directory, limits, 1024);
                ScriptedClient client = new ScriptedClient(cluster, MANY, BulkOptions.defaults())) {
            byte[][] chunks = uploadMany(client, cluster);
            List<CompletableFuture<byte[]>> blocks =
                    List.of(client.issueTo(0, 0, chunks[0]), client.issueTo(1, 1, chunks[1]));
            await().untilAsserted(() -> assertThat(client.events.get(0).stream()
                            .filter(TransferEvent::hasForfeited)
                            .map(event -> event.getForfeited().getBlockId() + " "
                                    + event.getForfeited().getErrorCode()))
                    .containsExactly("1 OVERLOADED"));
            await().untilAsserted(() -> assertThat(attempts(client.events.get(0), AttemptState.ATTEMPT_STATE_STARTED)
                            .map(event -> event.getAttempt().getBlockId()))
                    .containsExactly(0));
            assertThat(cluster.meters.get(0).get(RaceMetrics.ATTEMPTS).counter().count())
                    .isEqualTo(1);
            assertThat(blocks).noneMatch(CompletableFuture::isDone);
        }
    }

    /** The connection has streams for two relays, and the destination grants nothing for a while. */
    @Test
    void relayIsOfferedAgainWhenTheConnectionHadNoFreeStream() throws Exception {
        BulkOptions twoStreams = BulkOptions.defaults().withMaxStreams(2);
        try (HelperCluster cluster = new HelperCluster(directory, Map.of(), -1);
                ScriptedClient client = new ScriptedClient(cluster, MANY, twoStreams)) {
            byte[][] chunks = uploadMany(client, cluster);
            client.holdBack();
            List<CompletableFuture<byte[]>> blocks = issueAll(client, chunks);
            await().untilAsserted(() -> assertThat(attempts(client.events.get(0), AttemptState.ATTEMPT_STATE_WAITING)
                            .filter(event -> event.getAttempt().getBytes() == chunks[0].length)
                            .map(event -> event.getAttempt().getBlockId())
                            .distinct())
                    .as("whole, and said to wait")
                    .hasSize(MANY - 2));
            assertThat(client.offers).hasSize(2);
            client.release();
            assertDelivered(client, blocks, chunks);
            assertThat(client.offers).hasSize(MANY).doesNotHaveDuplicates();
        }
    }

    @Test
    void blockIsForfeitedWhenNoStreamIsFreeForTooLong() throws Exception {
        BulkOptions twoStreams = BulkOptions.defaults().withMaxStreams(2);
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.fetch.wait", "300ms"), -1);
                ScriptedClient client = new ScriptedClient(cluster, MANY, twoStreams)) {
            byte[][] chunks = uploadMany(client, cluster);
            client.holdBack();
            List<CompletableFuture<byte[]>> blocks = issueAll(client, chunks);
            await().untilAsserted(() -> assertThat(client.events.get(0).stream()
                            .filter(TransferEvent::hasForfeited)
                            .map(event -> event.getForfeited().getErrorCode()))
                    .hasSize(MANY - 2)
                    .containsOnly("OVERLOADED"));
            assertThat(blocks).noneMatch(CompletableFuture::isDone);
        }
    }

    /** With room for five blocks, a racer that held its maximum would leave no room for the next ones. */
    @Test
    void racerHoldsAtMostTheBlocksThatItsTransferAllows() throws Exception {
        Map<String, String> limits = Map.of("helper.transfers.blocks", "5", "helper.race.max-held-blocks", "64");
        try (HelperCluster cluster = new HelperCluster(directory, limits, -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(10, 1000);
            for (int i = 0; i < 2; i++) {
                client.upload(0, i, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                        .get(20, TimeUnit.SECONDS);
            }
            client.begin();
            List<CompletableFuture<byte[]>> blocks = List.of(client.issue(0, chunk), client.issue(1, chunk));
            assertThat(blocks.get(0).get(20, TimeUnit.SECONDS)).isEqualTo(chunk);
            client.hangUp();
            client.ends.get(0).get(20, TimeUnit.SECONDS);
            assertThat(client.events.get(0).stream()
                            .filter(TransferEvent::hasAttempt)
                            .map(event -> event.getAttempt().getBlockId()))
                    .containsOnly(0);
        }
    }

    @Test
    void transferFailsWhenTooManyBlocksAreIssued() throws Exception {
        try (HelperCluster cluster = new HelperCluster(directory, Map.of("helper.transfers.blocks", "1"), -1);
                ScriptedClient client = new ScriptedClient(cluster)) {
            byte[] chunk = random(9, 1000);
            client.upload(0, 0, chunk, ScriptedClient.crcs(chunk), cluster.stores(), 1)
                    .get(20, TimeUnit.SECONDS);
            client.begin();
            client.send(0, TransferCommand.newBuilder().setWithdrawBlock(7).build());
            List<CompletableFuture<byte[]>> blocks = List.of(client.issue(0, chunk), client.issue(1, chunk));
            assertThat(client.ends.get(0).get(20, TimeUnit.SECONDS)).hasMessageContaining("INVALID_ARGUMENT");
            assertThat(blocks).hasSize(2);
        }
    }
}
