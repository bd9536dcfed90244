package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.SlaReport;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.FakeHelper.Script;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.cost.ReadStrategy;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.store.disk.FreeSpace;
import io.cloudmw.core.testing.RoundsAndCooperative;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.BeginTransfer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class TransferTest {
    private static final int LEAF = 64 << 10;
    private static final int CHUNK = 1 << 20;
    private static final FilePath FILE = FilePath.parse("vol:/a/file");

    @TempDir
    private Path directory;

    private final Map<ChunkId, byte[]> chunks = new ConcurrentHashMap<>();
    private final List<FakeHelper> helpers = new ArrayList<>();
    private FakeCoordinator coordinator;
    private CloudMw client;

    @BeforeEach
    void connect() throws IOException {
        coordinator = new FakeCoordinator(CHUNK, LEAF);
        client = CloudMw.connect(CloudMwOptions.of(coordinator.address()).withMemory(8L << 20, 4L << 20));
    }

    @AfterEach
    void close() {
        client.close();
        helpers.forEach(FakeHelper::close);
        coordinator.close();
    }

    private FakeHelper helper(Script script) throws IOException {
        String name = "h" + helpers.size();
        FakeHelper helper = new FakeHelper(name, script, chunks);
        helpers.add(helper);
        coordinator.add(helper.address());
        coordinator.add(new Store(
                new StoreId("s" + name),
                name,
                new Store.Disk(new HelperId(name), directory.resolve("nowhere-" + name))));
        return helper;
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private PutReceipt put(byte[] content) throws Exception {
        return client.files()
                .put(new ByteArrayInputStream(content), content.length, FILE, PutOptions.defaults())
                .get(60, SECONDS);
    }

    private GetReceipt get(Path target) throws Exception {
        return client.files().get(FILE, target, GetOptions.defaults()).get(60, SECONDS);
    }

    private List<String> names() throws IOException {
        try (var list = Files.list(directory)) {
            return list.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static ErrorCode code(CompletableFuture<?> future) {
        try {
            future.get(60, SECONDS);
            throw new AssertionError("it succeeded");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CloudMwException known) {
                return known.code();
            }
            throw new AssertionError(e);
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void deliveryWithoutAttemptReportIsInTheReceipt() throws Exception {
        helper(Script.WORDLESS);
        put(bytes(2 * CHUNK));
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(receipt.wins()).hasSize(2);
        assertThat(receipt.attempts()).isEqualTo(2);
        assertThat(receipt.cost().total().reads()).isEqualTo(2);
        assertThat(receipt.cost().total().readBytes()).isEqualTo(2L * CHUNK);
        assertThat(receipt.wastedBytes()).isZero();
    }

    @Test
    void filesOfEverySizeRoundTrip() throws Exception {
        helper(Script.SERVE);
        for (int size : new int[] {0, 1, LEAF - 1, LEAF, LEAF + 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 17}) {
            byte[] content = bytes(size);
            put(content);
            GetReceipt receipt = get(directory.resolve("out"));
            assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
            assertThat(receipt.bytes()).isEqualTo(size);
            assertThat(receipt.usefulBytes()).isEqualTo(size);
        }
        assertThat(client.freeMemoryBytes()).isEqualTo(8L << 20);
    }

    @Test
    void putReadsFromPath() throws Exception {
        helper(Script.SERVE);
        byte[] content = bytes(3 * CHUNK + 5);
        Path source = Files.write(directory.resolve("source"), content);
        client.files().put(source, FILE, PutOptions.defaults()).get(60, SECONDS);
        get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
    }

    @Test
    void blockOfferedByTwoHelpersIsDeliveredOnce() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        byte[] content = bytes(4 * CHUNK);
        put(content);
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        assertThat(receipt.usefulBytes()).isEqualTo(content.length);
        assertThat(receipt.wins().stream().mapToLong(Win::bytes).sum()).isEqualTo(content.length);
        assertThat(receipt.wins()).extracting(Win::chunkIndex).contains(0L, 1L, 2L, 3L);
        // Every losing offer was refused. Their number depends on how long helpers seem to stall.
        await().until(() -> helpers.stream().allMatch(helper -> helper.openTransfers() == 0));
        await().until(() ->
                helpers.stream().mapToInt(FakeHelper::unrefusedRelays).sum()
                        <= receipt.wins().size());
    }

    @Test
    void readOfOneBlockBeginsOnlyAtItsHelper() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        helper(Script.SERVE);
        put(bytes(CHUNK));
        for (Mode mode : List.of(Mode.SINGLE, Mode.HEDGED, Mode.COOPERATIVE)) {
            int before = helpers.stream().mapToInt(FakeHelper::begunTransfers).sum();
            client.files()
                    .get(FILE, directory.resolve("out"), GetOptions.defaults().withMode(mode))
                    .get(60, SECONDS);
            assertThat(helpers.stream().mapToInt(FakeHelper::begunTransfers).sum())
                    .as(mode.label())
                    .isEqualTo(before + 1);
        }
    }

    @RoundsAndCooperative
    void aHelperThatDiesInMidRelayIsReplacedByAnother(Mode mode) throws Exception {
        coordinator.mode(mode);
        helper(Script.DIE_MID_RELAY);
        helper(Script.SERVE);
        byte[] content = bytes(6 * CHUNK);
        // Both files hold everything: the second put wrote nothing, because they share their chunks.
        put(content);
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        assertThat(receipt.winners()).containsKey("h1");
    }

    @RoundsAndCooperative
    void aWrongByteIsNeverHandedOnAndItsReplicaIsReported(Mode mode) throws Exception {
        coordinator.mode(mode);
        helper(Script.CORRUPT_LEAF);
        byte[] content = bytes(2 * CHUNK);
        put(content);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        GetReceipt receipt = client.files()
                .read(FILE, Channels.newChannel(out), GetOptions.defaults())
                .get(60, SECONDS);
        assertThat(out.toByteArray()).isEqualTo(content);
        assertThat(receipt.faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT));
        await().until(() -> coordinator.reports().stream().anyMatch(report -> report.state() == ReplicaState.CORRUPT));
        await().until(() -> helpers.get(0).corruptRelays() == 1);
    }

    @RoundsAndCooperative
    void bytesDamagedInTransitAreFetchedAgainAndBlameNoReplica(Mode mode) throws Exception {
        coordinator.mode(mode);
        helper(Script.DAMAGED_ON_THE_WAY);
        byte[] content = bytes(2 * CHUNK);
        put(content);
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        assertThat(receipt.faults()).isEmpty();
        assertThat(coordinator.reports()).isEmpty();
    }

    @RoundsAndCooperative
    void aReplicaThatItsHelperFindsBadIsInTheReceipt(Mode mode) throws Exception {
        coordinator.mode(mode);
        helper(Script.CORRUPT_REPLICA);
        byte[] content = bytes(2 * CHUNK);
        put(content);
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        assertThat(receipt.faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT));
        await().until(() -> coordinator.reports().stream().anyMatch(report -> report.state() == ReplicaState.CORRUPT));
    }

    @Test
    void throwingDestinationBlamesNoReplica() throws Exception {
        helper(Script.SERVE);
        put(bytes(2 * CHUNK));
        WritableByteChannel broken = new WritableByteChannel() {
            @Override
            public int write(ByteBuffer source) {
                throw new IllegalStateException("a defect of the application");
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() ->
                        client.files().read(FILE, broken, GetOptions.defaults()).get(60, SECONDS))
                .hasMessageContaining("a defect of the application");
        assertThat(coordinator.reports()).isEmpty();
        await().until(() -> client.runningTransfers() == 0);
    }

    @Test
    void streamGetsBytesInOrder() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        byte[] content = bytes(5 * CHUNK + 3);
        put(content);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        client.files()
                .read(FILE, Channels.newChannel(out), GetOptions.defaults())
                .get(60, SECONDS);
        assertThat(out.toByteArray()).isEqualTo(content);
    }

    @Test
    void putIsBilledForReplicasSent() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        coordinator.full(List.of(new StoreId("sh1")));

        PutReceipt receipt = put(bytes(2 * CHUNK));

        assertThat(receipt.replicasStored()).isEqualTo(2);
        assertThat(receipt.replicasOwed()).isEqualTo(2);
        assertThat(receipt.cost().usage())
                .containsOnly(Map.entry(new StoreId("sh0"), StoreUsage.ofWrites(2, 2L * CHUNK)));
    }

    /** The volumes of this coordinator are read by rounds: two racers for each of five chunks. */
    @Test
    void deadlineChoosesTheMode() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        byte[] content = bytes(5 * CHUNK);
        put(content);
        GetOptions lax = GetOptions.defaults().withDeadline(Duration.ofHours(1));

        GetReceipt ignorant = get(lax);
        SlaReport unchosen = ignorant.sla().orElseThrow();
        assertThat(unchosen.chosen()).isFalse();
        assertThat(unchosen.way().mode()).isEqualTo(Mode.ROUNDS);
        assertThat(unchosen.why()).contains("speeds are not known");

        coordinator.speeds(new ExpectedSpeed(1_000_000, 2_000_000, 3_000_000, 50 << 20, 20 << 20, 0, 1, 99));
        GetReceipt single = get(lax);
        SlaReport chosen = single.sla().orElseThrow();
        assertThat(chosen.chosen()).isTrue();
        assertThat(chosen.met()).isTrue();
        assertThat(chosen.way()).isEqualTo(new ReadStrategy(Mode.SINGLE, 1, Optional.empty()));
        assertThat(single.attempts()).isEqualTo(5);
        assertThat(single.winners()).as("one lane of one helper").hasSize(1);

        GetReceipt urgent = get(lax.withDeadline(Duration.ofNanos(1)));
        SlaReport missed = urgent.sla().orElseThrow();
        assertThat(missed.met()).isFalse();
        assertThat(missed.way().streams()).as("one for each chunk").isEqualTo(5);
        assertThat(missed.why()).contains("no way was expected to keep it");
        assertThat(urgent.attempts()).isGreaterThanOrEqualTo(5);

        GetReceipt told = get(lax.withMode(Mode.CHUNKED));
        SlaReport obeyed = told.sla().orElseThrow();
        assertThat(obeyed.chosen()).isFalse();
        assertThat(obeyed.way().mode()).isEqualTo(Mode.CHUNKED);
        assertThat(obeyed.why()).contains("the caller's choice");
    }

    /** No store is faster than the link, so the cheapest choice is as good as any. */
    @Test
    void deadlineAccountsForLinkSpeed() throws Exception {
        helper(Script.SERVE);
        put(bytes(2 * CHUNK));
        coordinator.speeds(new ExpectedSpeed(1_000_000, 2_000_000, 3_000_000, 50 << 20, 20 << 20, 0, 1, 99));
        CloudMwOptions options = CloudMwOptions.of(coordinator.address())
                .withMemory(8L << 20, 4L << 20)
                .withLink(CHUNK);
        GetOptions urgent = GetOptions.defaults().withDeadline(Duration.ofSeconds(1));

        try (CloudMw narrow = CloudMw.connect(options)) {
            GetReceipt receipt =
                    narrow.files().get(FILE, directory.resolve("out"), urgent).get(60, SECONDS);
            SlaReport report = receipt.sla().orElseThrow();
            assertThat(report.predicted()).isEqualTo(Duration.ofSeconds(2));
            assertThat(report.way()).isEqualTo(new ReadStrategy(Mode.SINGLE, 1, Optional.empty()));
            assertThat(report.why()).contains("no way was expected to keep it");

            CountDownLatch goOn = new CountDownLatch(1);
            CompletableFuture<GetReceipt> other = narrow.files()
                    .read(FILE, new BlockingChannel(new ByteArrayOutputStream(), goOn), GetOptions.defaults());
            await().until(() -> narrow.runningTransfers() == 1);
            GetReceipt beside =
                    narrow.files().get(FILE, directory.resolve("out"), urgent).get(60, SECONDS);
            assertThat(beside.sla().orElseThrow().predicted())
                    .as("two reads share the link")
                    .isEqualTo(Duration.ofSeconds(4));
            goOn.countDown();
            other.get(60, SECONDS);
        }
        assertThat(get(urgent).sla().orElseThrow().predicted()).isLessThan(Duration.ofSeconds(1));
    }

    /** A read in a hundred takes half a second; after the p95, 2 ms, another store is asked. */
    @Test
    void deadlineChoosesHedgeDelayAndHelperLearnsTheHedges() throws Exception {
        helper(Script.STALL);
        helper(Script.SERVE);
        put(bytes(CHUNK));
        coordinator.speeds(new ExpectedSpeed(1_000_000, 2_000_000, 500_000_000, 50 << 20, 49 << 20, 0, 1, 99));

        GetReceipt receipt = get(GetOptions.defaults().withDeadline(Duration.ofMillis(100)));

        ReadStrategy way = receipt.sla().orElseThrow().way();
        assertThat(way.mode()).isEqualTo(Mode.HEDGED);
        assertThat(way.hedgeDelay())
                .hasValueSatisfying(delay -> assertThat(delay).isLessThanOrEqualTo(Duration.ofMillis(2)));
        assertThat(receipt.extras().hedges()).isPositive();
        assertThat(receipt.extras().hedgesWon()).isEqualTo(1);
        assertThat(receipt.winners()).containsOnlyKeys("h1");
        await().untilAsserted(() -> assertThat(
                        helpers.stream().mapToLong(FakeHelper::hedgesTold).sum())
                .isEqualTo(1));
    }

    @Test
    void helperLearnsHedgesOfFailedRead() throws Exception {
        helper(Script.STALL);
        helper(Script.STALL);
        put(bytes(CHUNK));
        coordinator.speeds(new ExpectedSpeed(1_000_000, 2_000_000, 500_000_000, 50 << 20, 49 << 20, 0, 1, 99));

        CompletableFuture<GetReceipt> get = client.files()
                .get(FILE, directory.resolve("out"), GetOptions.defaults().withMode(Mode.HEDGED));
        await().until(() -> helpers.stream().allMatch(helper -> helper.begunTransfers() == 1));
        get.cancel(true);

        await().untilAsserted(() -> assertThat(
                        helpers.stream().mapToLong(FakeHelper::hedgesIssuedTold).sum())
                .isEqualTo(1));
        await().until(() -> helpers.stream().allMatch(helper -> helper.openTransfers() == 0));
    }

    private GetReceipt get(GetOptions options) throws Exception {
        return client.files().get(FILE, directory.resolve("out"), options).get(60, SECONDS);
    }

    @Test
    void positionalTargetGetsExactlyTheRangeInAnyOrder() throws Exception {
        helper(Script.SERVE);
        helper(Script.SERVE);
        byte[] content = bytes(5 * CHUNK + 17);
        put(content);
        byte[] got = new byte[content.length];
        GetReceipt receipt = client.files()
                .read(
                        FILE,
                        (long offset, java.nio.ByteBuffer bytes) -> bytes.get(got, (int) offset, bytes.remaining()),
                        GetOptions.defaults().withRange(new ByteRange(1001, 4L * CHUNK)))
                .get(60, SECONDS);
        byte[] expected = new byte[content.length];
        System.arraycopy(content, 1001, expected, 1001, 4 * CHUNK);
        assertThat(got).isEqualTo(expected);
        assertThat(receipt.bytes()).isEqualTo(4L * CHUNK);
        assertThat(code(client.files()
                        .read(
                                FILE,
                                (long offset, java.nio.ByteBuffer bytes) -> {
                                    throw new IOException("full");
                                },
                                GetOptions.defaults())))
                .isEqualTo(ErrorCode.LOCAL_IO);
    }

    @Test
    void rangeReadReturnsExactlyItsBytes() throws Exception {
        helper(Script.SERVE);
        byte[] content = bytes(3 * CHUNK);
        put(content);
        for (ByteRange range : List.of(
                new ByteRange(0, 1),
                new ByteRange(CHUNK - 1, 2),
                new ByteRange(LEAF + 5, CHUNK),
                new ByteRange(3L * CHUNK - 1, 1),
                new ByteRange(3L * CHUNK, 0))) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            client.files()
                    .read(FILE, Channels.newChannel(out), GetOptions.defaults().withRange(range))
                    .get(60, SECONDS);
            assertThat(out.toByteArray())
                    .isEqualTo(java.util.Arrays.copyOfRange(content, (int) range.offset(), (int) range.end()));
        }
        assertThat(code(client.files()
                        .read(
                                FILE,
                                Channels.newChannel(new ByteArrayOutputStream()),
                                GetOptions.defaults().withRange(new ByteRange(1, 3L * CHUNK)))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @RoundsAndCooperative
    void aSlowReaderHoldsBackItsHelpersAndLosesNothing(Mode mode) throws Exception {
        coordinator.mode(mode);
        FakeHelper helper = helper(Script.SERVE);
        byte[] content = bytes(10 * CHUNK);
        put(content);
        CountDownLatch goOn = new CountDownLatch(1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WritableByteChannel slow = new BlockingChannel(out, goOn);
        CompletableFuture<GetReceipt> read = client.files().read(FILE, slow, GetOptions.defaults());
        await().until(() -> helper.leavesRelayed() >= 16);
        goOn.countDown();
        read.get(60, SECONDS);
        assertThat(out.toByteArray()).isEqualTo(content);
        assertThat(helper.largestCredit()).isLessThanOrEqualTo(4L << 20);
    }

    /** A read has 4 MiB: the current chunk, and half of that for the following ones. */
    @Test
    void laterBlocksArriveWhileStreamIsBusy() throws Exception {
        FakeHelper helper = helper(Script.SERVE);
        byte[] content = bytes(8 * CHUNK);
        put(content);
        CountDownLatch goOn = new CountDownLatch(1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompletableFuture<GetReceipt> read =
                client.files().read(FILE, new BlockingChannel(out, goOn), GetOptions.defaults());
        await().until(() -> helper.leavesRelayed() == 3 * CHUNK / LEAF);
        goOn.countDown();
        read.get(60, SECONDS);
        assertThat(out.toByteArray()).isEqualTo(content);
        await().until(() -> client.freeMemoryBytes() == 8L << 20);
    }

    @Test
    void cancelledStreamDropsLaterBlocks() throws Exception {
        FakeHelper helper = helper(Script.SERVE);
        put(bytes(8 * CHUNK));
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<GetReceipt> read = client.files()
                .read(FILE, new BlockingChannel(new ByteArrayOutputStream(), goOn), GetOptions.defaults());
        await().until(() -> helper.leavesRelayed() == 3 * CHUNK / LEAF);
        read.cancel(true);
        goOn.countDown();
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    @RoundsAndCooperative
    void cancellingFreesEverythingEverywhere(Mode mode) throws Exception {
        coordinator.mode(mode);
        FakeHelper helper = helper(Script.SILENT);
        put(bytes(4 * CHUNK));
        CompletableFuture<GetReceipt> get = client.files().get(FILE, directory.resolve("out"), GetOptions.defaults());
        CompletableFuture<Long> derived = get.thenApply(GetReceipt::bytes);
        await().until(() -> helper.openTransfers() == 1);
        assertThat(derived.cancel(true)).isTrue();
        await().until(() -> helper.openTransfers() == 0 && client.runningTransfers() == 0);
        assertThat(get.isCancelled()).isTrue();
        assertThat(names()).isEmpty();
        await().until(() -> client.freeMemoryBytes() == 8L << 20);
    }

    @Test
    void closingTheClientCancelsTransfers() throws Exception {
        FakeHelper helper = helper(Script.SILENT);
        put(bytes(CHUNK));
        CompletableFuture<GetReceipt> get = client.files().get(FILE, directory.resolve("out"), GetOptions.defaults());
        await().until(() -> helper.openTransfers() == 1);
        client.close();
        assertThat(code(get)).isEqualTo(ErrorCode.CANCELLED);
        assertThat(names()).isEmpty();
    }

    @Test
    void getReplacesFileAtomically() throws Exception {
        helper(Script.SERVE);
        Path target = Files.writeString(directory.resolve("out"), "before");
        put(bytes(CHUNK));
        chunks.replaceAll((id, bytes) -> new byte[bytes.length]);
        assertThat(code(client.files().get(FILE, target, GetOptions.defaults())))
                .isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(target).hasContent("before");
        assertThat(names()).containsExactly("out");
    }

    @Test
    void wrongManifestIsProtocolViolation() throws Exception {
        helper(Script.SERVE);
        byte[] content = bytes(3 * CHUNK);
        put(content);
        Path target = Files.writeString(directory.resolve("out"), "before");
        coordinator.replicate(List.of(new StoreId("sh0"), new StoreId("another")), 0);
        assertThatThrownBy(() -> get(target)).cause().hasMessageContaining("SHA-256");
        coordinator.replicate(List.of(new StoreId("sh0")), 1);
        assertThat(code(client.files().get(FILE, target, GetOptions.defaults())))
                .isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        GetOptions rest = GetOptions.defaults().withRange(new ByteRange(CHUNK, 2L * CHUNK));
        assertThatThrownBy(() -> client.files()
                        .read(FILE, Channels.newChannel(out), rest)
                        .get(60, SECONDS))
                .cause()
                .hasMessageContaining("1 segments describe " + 2 * CHUNK + " bytes (expected: " + 3 * CHUNK + ")");
        put(content);
        coordinator.promiseAnotherSegment();
        assertThatThrownBy(() -> get(target))
                .cause()
                .hasMessageContaining(
                        "1 of its segments describe all " + 3 * CHUNK + " bytes (expected: all 2 of them)");
        assertThat(target).hasContent("before");
        assertThat(names()).containsExactly("out");
    }

    @Test
    void throwingListenerOrSourceFailsItsTransferOnly() throws Exception {
        helper(Script.SERVE);
        TransferListener broken = new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                throw new OutOfMemoryError("on purpose");
            }
        };
        byte[] content = bytes(2 * CHUNK);
        InputStream source = new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                throw new StackOverflowError("on purpose");
            }
        };
        assertThat(code(client.files().put(source, content.length, FILE, PutOptions.defaults())))
                .isEqualTo(ErrorCode.INTERNAL);
        assertThat(code(client.files()
                        .put(
                                new ByteArrayInputStream(content),
                                content.length,
                                FILE,
                                PutOptions.defaults().withListener(broken))))
                .isEqualTo(ErrorCode.INTERNAL);
        put(content);
        Path target = directory.resolve("out");
        assertThat(code(client.files().get(FILE, target, GetOptions.defaults().withListener(broken))))
                .isEqualTo(ErrorCode.INTERNAL);
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
        assertThat(names()).isEmpty();
    }

    @Test
    void blockedStreamsDoNotDelayFiles() throws Exception {
        helper(Script.SERVE);
        byte[] content = bytes(CHUNK);
        put(content);
        CountDownLatch goOn = new CountDownLatch(1);
        List<CompletableFuture<PutReceipt>> stuck = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            InputStream blocking = new ByteArrayInputStream(new byte[1]) {
                @Override
                public synchronized int read(byte[] target, int offset, int length) {
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return super.read(target, offset, length);
                }
            };
            stuck.add(client.files().put(blocking, 1, FilePath.parse("vol:/stuck/" + i), PutOptions.defaults()));
        }
        get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        client.files()
                .put(directory.resolve("out"), FILE, PutOptions.defaults())
                .get(60, SECONDS);
        goOn.countDown();
        stuck.forEach(put -> put.cancel(true));
    }

    @Test
    void blockedTargetsDoNotDelayFiles() throws Exception {
        helper(Script.SERVE);
        byte[] content = bytes(LEAF);
        put(content);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(16);
        List<CompletableFuture<GetReceipt>> stuck = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            stuck.add(client.files()
                    .read(
                            FILE,
                            (long offset, ByteBuffer bytes) -> {
                                blocked.countDown();
                                try {
                                    goOn.await();
                                } catch (InterruptedException e) {
                                    throw new IOException(e);
                                }
                            },
                            GetOptions.defaults()));
        }
        assertThat(blocked.await(60, SECONDS)).isTrue();
        get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        goOn.countDown();
        for (CompletableFuture<GetReceipt> read : stuck) {
            read.get(60, SECONDS);
        }
    }

    @Test
    void unwritableDestinationFailsWithOneClearError() throws Exception {
        helper(Script.SERVE);
        put(bytes(CHUNK));
        Path nowhere = directory.resolve("missing").resolve("out");
        assertThatThrownBy(() -> get(nowhere)).cause().hasMessageContaining("no such directory");
        assertThat(code(client.files().get(FILE, directory, GetOptions.defaults())))
                .isEqualTo(ErrorCode.LOCAL_IO);
        WritableByteChannel full = new BlockingChannel(new ByteArrayOutputStream(), new CountDownLatch(0)) {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        assertThatThrownBy(() ->
                        client.files().read(FILE, full, GetOptions.defaults()).get(60, SECONDS))
                .cause()
                .hasMessageContaining("No space left on device");
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    @Test
    void directoryThatVanishesDuringGetFailsWithOneClearError() throws Exception {
        helper(Script.SERVE);
        put(bytes(4 * CHUNK));
        Path gone = Files.createDirectory(directory.resolve("gone"));
        TransferListener remover = new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                try (var files = Files.list(gone)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                    Files.delete(gone);
                } catch (IOException e) {
                    // The directory is gone already.
                }
            }
        };
        CompletableFuture<GetReceipt> get = client.files()
                .get(FILE, gone.resolve("out"), GetOptions.defaults().withListener(remover));
        assertThatThrownBy(() -> get.get(60, SECONDS)).cause().hasMessageContaining("no such directory");
        assertThat(code(get)).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(names()).isEmpty();
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    @Test
    void fiftyConcurrentPutsShareTheMemoryLimit() throws Exception {
        FakeHelper helper = helper(Script.SERVE);
        byte[] content = bytes(3 * CHUNK);
        List<CompletableFuture<PutReceipt>> puts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            puts.add(client.files()
                    .put(
                            new ByteArrayInputStream(content),
                            content.length,
                            FilePath.parse("vol:/many/" + i),
                            PutOptions.defaults()));
        }
        for (CompletableFuture<PutReceipt> put : puts) {
            put.get(90, SECONDS);
        }
        assertThat(coordinator.files()).hasSize(50);
        assertThat(chunks.values().stream().mapToInt(chunk -> chunk.length).sum())
                .isEqualTo(50 * content.length);
        // A quarter of the client's memory; one mebibyte for each chunk in flight.
        assertThat(helper.mostUploads()).isBetween(1, 2);
        await().until(() -> client.runningTransfers() == 0);
    }

    @RoundsAndCooperative
    void withoutHelpersTheClientRacesOverTheDisksItCanReach(Mode mode) throws Exception {
        coordinator.mode(mode);
        byte[] content = putAndLoseTheHelper(3 * CHUNK + 9);
        coordinator.replicate(List.of(ownDisk("d0"), ownDisk("d1"), ownDisk("d2")));
        Path target = directory.resolve("out");
        GetReceipt receipt = get(target);
        assertThat(Files.readAllBytes(target)).isEqualTo(content);
        assertThat(receipt.winners()).containsOnlyKeys("local");
    }

    @RoundsAndCooperative
    void aReplicaKnownToBeBadIsTheClientsLastResortToo(Mode mode) throws Exception {
        coordinator.mode(mode);
        byte[] content = putAndLoseTheHelper(3 * CHUNK + 9);
        StoreId good = ownDisk("d0");
        StoreId bad = ownDisk("d1");
        coordinator.replicate(List.of(bad, good));
        coordinator.bad(Set.of(bad));
        Path target = directory.resolve("out");
        assertThat(get(target).rows()).isNotEmpty().allMatch(row -> row.store().equals(good));

        lose(good);
        assertThat(get(target).rows()).anyMatch(row -> row.store().equals(bad));
        assertThat(Files.readAllBytes(target)).isEqualTo(content);

        lose(bad);
        assertThat(code(client.files().get(FILE, target, GetOptions.defaults())))
                .isEqualTo(ErrorCode.REPLICA_MISSING);
    }

    /** This coordinator signs no URLs. */
    @Test
    void bucketWithoutUrlsIsNotReportedAsMissingReplicas() throws Exception {
        putAndLoseTheHelper(CHUNK);
        StoreId bucket = new StoreId("b0");
        coordinator.add(new Store(bucket, "far", new Store.S3("b0", "us-east-1", "", false, "")));
        coordinator.replicate(List.of(bucket));
        assertThat(code(client.files().get(FILE, directory.resolve("out"), GetOptions.defaults())))
                .isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(coordinator.reports()).isEmpty();
    }

    /** Puts a file and stops the helper; returns the file's bytes. */
    private byte[] putAndLoseTheHelper(int count) throws Exception {
        FakeHelper writer = helper(Script.SERVE);
        byte[] content = bytes(count);
        put(content);
        writer.die();
        return content;
    }

    /** A disk that this process can read in-process, with everything that was put. */
    private StoreId ownDisk(String name) throws CloudMwException {
        StoreId id = new StoreId(name);
        Path disk = directory.resolve(name);
        try (DiskChunkStore store = DiskChunkStore.open(id, disk, 0, FreeSpace.system())) {
            for (Map.Entry<ChunkId, byte[]> chunk : chunks.entrySet()) {
                store.put(chunk.getKey(), source(chunk.getValue()));
            }
        }
        coordinator.add(new Store(id, name, new Store.Disk(new HelperId("gone"), disk)));
        return id;
    }

    private void lose(StoreId disk) throws CloudMwException {
        try (DiskChunkStore store = DiskChunkStore.open(disk, directory.resolve(disk.value()), 0, FreeSpace.system())) {
            for (ChunkId chunk : chunks.keySet()) {
                store.delete(chunk);
            }
        }
    }

    @Test
    void readRefusedByAllHelpersIsRetried() throws Exception {
        FakeHelper full = helper(Script.FULL);
        byte[] content = bytes(2 * CHUNK);
        put(content);
        GetReceipt receipt = get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
        assertThat(receipt.winners()).containsOnlyKeys("h0");
        assertThat(full.begunTransfers()).isEqualTo(4);
        assertThat(full.askedTooSoon()).isZero();
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    /** The first try found no room, and the last could reach no store: the two are unrelated. */
    @Test
    void readFailedForOtherReasonsIsNotRetriedAsRefused() throws Exception {
        coordinator.mode(Mode.SINGLE);
        byte[] content = putAndLoseTheHelper(CHUNK);
        helper(Script.FULL_AT_FIRST);
        Path target = directory.resolve("out");
        CompletableFuture<GetReceipt> get = client.files().get(FILE, target, GetOptions.defaults());
        await().until(() -> coordinator.plans() >= 2);
        helper(Script.SERVE);
        assertThat(get.get(60, SECONDS).winners()).containsOnlyKeys("h2");
        assertThat(Files.readAllBytes(target)).isEqualTo(content);
    }

    @Test
    void helpersLearnTheUrgencyOfARead() throws Exception {
        FakeHelper helper = helper(Script.SERVE);
        put(bytes(CHUNK));
        GetOptions whole = GetOptions.defaults();
        for (GetOptions how : List.of(
                whole,
                whole.withRange(new ByteRange(0, 10)),
                whole.withPriority(Priority.PREFETCH).withDeadline(Duration.ofHours(1)))) {
            client.files()
                    .read(FILE, Channels.newChannel(new ByteArrayOutputStream()), how)
                    .get(60, SECONDS);
        }

        assertThat(helper.begins())
                .extracting(begin -> UrgencyWire.priority(begin.getPriority()))
                .containsExactly(Priority.BATCH, Priority.INTERACTIVE, Priority.PREFETCH);
        assertThat(helper.begins().get(0).getDeadlineMillis()).isZero();
        assertThat(helper.begins().get(2).getDeadlineMillis()).isBetween(1L, 3_600_000L);
    }

    /** A switch that is asked for another's block fetches it from there, and the store is not read again. */
    @Test
    void switchesLearnOfEachOtherFromReaderWithoutLocation() throws Exception {
        FakeHelper helper = helper(Script.SERVE);
        put(bytes(CHUNK));
        client.files()
                .read(FILE, Channels.newChannel(new ByteArrayOutputStream()), GetOptions.defaults())
                .get(60, SECONDS);
        coordinator.switches(1);
        client.files()
                .read(FILE, Channels.newChannel(new ByteArrayOutputStream()), GetOptions.defaults())
                .get(60, SECONDS);

        assertThat(helper.begins())
                .extracting(BeginTransfer::getShared, BeginTransfer::getTree)
                .containsExactly(tuple(false, 0), tuple(true, 1));
    }

    @Test
    void chunksOfVersionAreLocated() throws Exception {
        FakeHelper unused = helper(Script.SERVE);
        PutReceipt receipt = put(bytes(2 * CHUNK + 1));
        List<Chunk> chunks =
                client.files().locate(FILE, receipt.version().id(), 0).get(60, SECONDS);
        assertThat(chunks)
                .extracting(Chunk::range)
                .containsExactly(new ByteRange(0, CHUNK), new ByteRange(CHUNK, CHUNK), new ByteRange(2 * CHUNK, 1));
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.replicas()).isNotEmpty());
    }

    @Test
    void unreachableReadIsPlannedAgain() throws Exception {
        byte[] content = putAndLoseTheHelper(2 * CHUNK);
        Path target = directory.resolve("out");
        CompletableFuture<GetReceipt> get = client.files().get(FILE, target, GetOptions.defaults());
        await().until(() -> coordinator.plans() >= 2);
        helper(Script.SERVE);
        assertThat(get.get(60, SECONDS).winners()).containsOnlyKeys("h1");
        assertThat(Files.readAllBytes(target)).isEqualTo(content);
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    /**
     * A chunk has sixteen leaves. The plan's only helper dies when the client has two of four chunks; a stream may have
     * waited for one of them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void newPlanFetchesOnlyMissingChunks(boolean inOrder) throws Exception {
        coordinator.mode(Mode.SINGLE);
        byte[] content = putAndLoseTheHelper(4 * CHUNK);
        FakeHelper dying = helper(Script.STALL_LATE);
        Path target = directory.resolve("out");
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        AtomicLong arrived = new AtomicLong();
        AtomicInteger complete = new AtomicInteger();
        GetOptions options = GetOptions.defaults().withListener(new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                arrived.set(done);
            }

            @Override
            public void won(Win win) {
                complete.incrementAndGet();
            }
        });
        CompletableFuture<GetReceipt> get = inOrder
                ? client.files().read(FILE, Channels.newChannel(stream), options)
                : client.files().get(FILE, target, options);
        await().until(() -> arrived.get() >= 2 * CHUNK && complete.get() >= 2);
        dying.die();
        await().until(() -> coordinator.plans() >= 2);
        FakeHelper other = helper(Script.SERVE);

        GetReceipt receipt = get.get(60, SECONDS);
        assertThat(inOrder ? stream.toByteArray() : Files.readAllBytes(target)).isEqualTo(content);
        assertThat(receipt.chunks()).isEqualTo(4);
        assertThat(receipt.usefulBytes()).isEqualTo(content.length);
        // One of the two may not have been written to the file yet.
        assertThat(other.leavesRelayed()).isBetween(2 * CHUNK / LEAF, (inOrder ? 4 : 3) * CHUNK / LEAF);
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    @Test
    void readUnreachableForSecondsFails() throws Exception {
        byte[] unused = putAndLoseTheHelper(CHUNK);
        assertThat(code(client.files().get(FILE, directory.resolve("out"), GetOptions.defaults())))
                .isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
        assertThat(coordinator.plans()).isEqualTo(10);
        await().until(() -> client.runningTransfers() == 0 && client.freeMemoryBytes() == 8L << 20);
    }

    /** The first bucket is silent: after the p95 the client asks the other one too. */
    @Test
    void readWithoutHelpersHedgesAtAnotherStore() throws Exception {
        byte[] content = putAndLoseTheHelper(CHUNK);
        Map<String, byte[]> objects = new HashMap<>();
        chunks.forEach((id, bytes) -> objects.put("/" + id, bytes));
        try (ScriptedHttpServer silent = new ScriptedHttpServer().thenSilence();
                ScriptedHttpServer sound = new ScriptedHttpServer().serving(objects)) {
            coordinator.add(new StoreId("silent"), silent.uri());
            coordinator.add(new StoreId("sound"), sound.uri());
            coordinator.replicate(List.of(new StoreId("silent"), new StoreId("sound")));
            coordinator.speeds(new ExpectedSpeed(1_000_000, 2_000_000, 500_000_000, 50 << 20, 49 << 20, 0, 1, 99));

            GetReceipt receipt = get(GetOptions.defaults().withMode(Mode.HEDGED));

            assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
            assertThat(receipt.winners()).containsOnlyKeys("local");
            assertThat(receipt.extras().hedges()).isEqualTo(1);
            assertThat(receipt.extras().hedgesWon()).isEqualTo(1);
        }
    }

    private static ChunkSource source(byte[] bytes) {
        return new ChunkSource() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    @Test
    void chunkOfFailedHelperIsPlacedWithoutThatHelper() throws Exception {
        helper(Script.DIE_MID_WRITE);
        helper(Script.SERVE);
        byte[] content = bytes(2 * CHUNK + 1);
        PutReceipt receipt = put(content);
        assertThat(receipt.version().sizeBytes()).isEqualTo(content.length);
        assertThat(coordinator.avoided())
                .anySatisfy(avoided -> assertThat(avoided).contains("h0"));
        chunks.forEach((id, bytes) -> assertThat(
                        ChunkDigester.digest(ByteBuffer.wrap(bytes), LEAF).count())
                .isPositive());
    }

    /** At most three chunks are in flight: none is sent to the placement that failed. */
    @Test
    void earlierPlacementsAreRenewedAfterHelperFails() throws Exception {
        FakeHelper dying = helper(Script.DIE_MID_WRITE);
        helper(Script.SERVE);
        put(bytes(12 * CHUNK));
        assertThat(dying.receivedUploads()).isBetween(1, 3);
        assertThat(chunks).hasSize(12);
    }

    /** The owner of a disk is away; then, as the coordinator knows, too few stores are left until it is back. */
    @Test
    void putWaitsForRestartedHelper() throws Exception {
        helper(Script.CUT_OFF);
        InputStream source = new ByteArrayInputStream(bytes(1)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                coordinator.refuse("PlaceChunks", ErrorCode.QUORUM_NOT_MET, 8);
                return super.read(target, offset, length);
            }
        };
        client.files()
                .put(source, 1, FILE, PutOptions.defaults().withListener(hears))
                .get(60, SECONDS);
        assertThat(chunks).hasSize(1);
        assertThat(waited).contains("Optional[QUORUM_NOT_MET] PlaceChunks: refused");
    }

    private final List<String> waited = new ArrayList<>();
    private final TransferListener hears = new TransferListener() {
        @Override
        public void waiting(PutDelay delay) {
            assertThat(delay.lasted()).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            delay.reasons().forEach(reason -> waited.add(reason.code() + " " + reason.text()));
        }
    };

    @Test
    void stalledPutNamesTheStoresOfItsSilentHelper() throws Exception {
        helper(Script.UNANSWERED_WRITES);
        CompletableFuture<PutDelay> told = new CompletableFuture<>();
        List<Long> stored = new CopyOnWriteArrayList<>();
        CompletableFuture<Long> sent = new CompletableFuture<>();
        TransferListener listener = new TransferListener() {
            @Override
            public void waiting(PutDelay delay) {
                told.complete(delay);
            }

            @Override
            public void progressed(long done, long total) {
                stored.add(done);
            }

            @Override
            public void sent(long bytes) {
                if (bytes == 13_000) {
                    sent.complete(bytes);
                }
            }
        };
        CompletableFuture<PutReceipt> put = client.files()
                .put(
                        new ByteArrayInputStream(bytes(13_000)),
                        13_000,
                        FILE,
                        PutOptions.defaults().withListener(listener));
        assertThat(told.get(60, SECONDS).reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.kind()).isEqualTo(PutDelay.Kind.STORES);
            assertThat(reason.stores()).containsExactly(new StoreId("sh0"));
            assertThat(reason.helper()).contains(new HelperId("h0"));
            assertThat(reason.text()).isEqualTo("helper h0 has not stored what it was sent yet, in sh0");
        });
        assertThat(sent.get(60, SECONDS)).isEqualTo(13_000);
        assertThat(stored).as("nothing is stored yet").isEmpty();
        put.cancel(true);
    }

    @Test
    void putWaitsForRestartedHelperBeforePlacingMoreChunks() throws Exception {
        helper(Script.SERVE);
        int size = 65 * CHUNK; // one more than are placed at once
        InputStream source = new ByteArrayInputStream(bytes(size)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                if (pos == 0) {
                    coordinator.refuse("PlaceChunks", ErrorCode.QUORUM_NOT_MET, 8);
                }
                return super.read(target, offset, length);
            }
        };
        client.files()
                .put(source, size, FILE, PutOptions.defaults().withListener(hears))
                .get(60, SECONDS);
        assertThat(chunks).hasSize(65);
        assertThat(waited).contains("Optional[QUORUM_NOT_MET] PlaceChunks: refused");
    }

    @ParameterizedTest
    @EnumSource(
            value = Script.class,
            names = {"BUSY", "CUT_OFF"})
    void busyHelperIsRetriedAndNotAvoided(Script script) throws Exception {
        helper(script);
        helper(Script.SILENT);
        put(bytes(1));
        assertThat(coordinator.avoided())
                .as("the first placement came ahead")
                .hasSizeGreaterThanOrEqualTo(7)
                .allSatisfy(avoided -> assertThat(avoided).isEmpty());
    }

    @Test
    void putOfPathChangedMeanwhileConflicts() throws Exception {
        helper(Script.SERVE);
        put(bytes(10));
        CountDownLatch begun = new CountDownLatch(1);
        int size = 2 * CHUNK;
        InputStream slow = new ByteArrayInputStream(bytes(size)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                coordinator.files().remove(FILE);
                begun.countDown();
                return super.read(target, offset, length);
            }
        };
        assertThat(code(client.files().put(slow, size, FILE, PutOptions.defaults())))
                .isEqualTo(ErrorCode.CONFLICT);
        assertThat(begun.getCount()).isZero();
    }

    @Test
    void putHonoursConditionOfAbsenceOrVersion() throws Exception {
        helper(Script.SERVE);
        VersionId first =
                put(PutOptions.defaults().ifAbsent()).get(60, SECONDS).version().id();
        int placed = coordinator.avoided().size();
        assertThat(code(put(PutOptions.defaults().ifAbsent()))).isEqualTo(ErrorCode.CONFLICT);
        assertThat(code(put(PutOptions.defaults().ifVersion(VersionId.random()))))
                .isEqualTo(ErrorCode.CONFLICT);
        assertThat(coordinator.avoided()).as("nothing was sent").hasSize(placed);
        put(PutOptions.defaults().ifVersion(first)).get(60, SECONDS);
        assertThat(code(put(PutOptions.defaults().ifVersion(first)))).isEqualTo(ErrorCode.CONFLICT);
        coordinator.files().clear();
        assertThat(code(put(PutOptions.defaults().ifVersion(first)))).isEqualTo(ErrorCode.CONFLICT);
        assertThat(coordinator.files()).isEmpty();
    }

    @Test
    void exactlyOneOfManyConcurrentPutsIfAbsentSucceeds() throws Exception {
        helper(Script.SERVE);
        List<CompletableFuture<PutReceipt>> puts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            puts.add(put(PutOptions.defaults().ifAbsent()));
        }
        int succeeded = 0;
        for (CompletableFuture<PutReceipt> one : puts) {
            succeeded +=
                    one.handle((receipt, failure) -> receipt == null ? 0 : 1).get(60, SECONDS);
        }
        assertThat(succeeded).isEqualTo(1);
    }

    private CompletableFuture<PutReceipt> put(PutOptions how) {
        return client.files().put(new ByteArrayInputStream(bytes(10)), 10, FILE, how);
    }

    @Test
    void sourceOfWrongLengthFailsWithOneClearError() throws Exception {
        helper(Script.SERVE);
        assertThat(code(client.files().put(new ByteArrayInputStream(bytes(9)), 10, FILE, PutOptions.defaults())))
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(code(client.files().put(new ByteArrayInputStream(bytes(11)), 10, FILE, PutOptions.defaults())))
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(coordinator.files()).isEmpty();
    }

    @Test
    void putWaitsForRestartedCoordinator() throws Exception {
        helper(Script.SERVE);
        CountDownLatch stopped = new CountDownLatch(1);
        byte[] content = bytes(2 * CHUNK);
        InputStream source = new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                if (stopped.getCount() > 0) {
                    try {
                        coordinator.stop();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    stopped.countDown();
                }
                return super.read(target, offset, length);
            }
        };
        CompletableFuture<PutReceipt> put = client.files().put(source, content.length, FILE, PutOptions.defaults());
        assertThat(stopped.await(30, SECONDS)).isTrue();
        coordinator.start();
        put.get(60, SECONDS);
        get(directory.resolve("out"));
        assertThat(Files.readAllBytes(directory.resolve("out"))).isEqualTo(content);
    }

    @Test
    void absentCoordinatorFailsWithinTheTimeout() throws Exception {
        coordinator.stop();
        try (CloudMw hasty = CloudMw.connect(
                CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(Duration.ofMillis(300)))) {
            assertThat(code(hasty.files().stat(FILE))).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        }
    }

    @Test
    void overloadedCoordinatorIsRetriedUntilTheTimeout() throws Exception {
        coordinator.overload(2);
        assertThat(code(client.files().stat(FILE))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(coordinator.callsLeftToRefuse()).isZero();

        coordinator.overload(Integer.MAX_VALUE);
        try (CloudMw hasty = CloudMw.connect(
                CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(Duration.ofSeconds(2)))) {
            assertThat(code(hasty.files().stat(FILE))).isEqualTo(ErrorCode.OVERLOADED);
        }
    }

    @Test
    void missingFileIsNotFound() {
        assertThat(code(client.files().stat(FILE))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(client.files().get(FILE, directory.resolve("out"), GetOptions.defaults())))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @RoundsAndCooperative
    void fiftyGetsAtOnceShareOneLimitOfMemory(Mode mode) throws Exception {
        coordinator.mode(mode);
        helper(Script.SERVE);
        helper(Script.SERVE);
        byte[] content = bytes(3 * CHUNK + 1);
        put(content);
        List<CompletableFuture<GetReceipt>> gets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            gets.add(client.files()
                    .get(
                            FILE,
                            directory.resolve("out" + i),
                            GetOptions.defaults().withDurable(false)));
        }
        for (int i = 0; i < 50; i++) {
            gets.get(i).get(90, SECONDS);
            assertThat(Files.readAllBytes(directory.resolve("out" + i))).isEqualTo(content);
        }
        await().until(() -> client.freeMemoryBytes() == 8L << 20);
    }

    /** A channel that blocks the first write until it is released. */
    private static class BlockingChannel implements WritableByteChannel {
        private final WritableByteChannel target;
        private final CountDownLatch goOn;

        BlockingChannel(ByteArrayOutputStream out, CountDownLatch goOn) {
            target = Channels.newChannel(out);
            this.goOn = goOn;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return target.write(bytes);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
