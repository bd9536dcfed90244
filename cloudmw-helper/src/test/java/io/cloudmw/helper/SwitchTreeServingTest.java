package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.SwitchTree;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.trace.TraceParent;
import io.cloudmw.core.trace.Traces;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.ReplicaReport;
import io.cloudmw.proto.v1.ReplicaState;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.cloudmw.proto.v1.TransferEvent;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of real helpers as switches, which the test asks as a switch below. The first helper has the only replica. */
@Timeout(60)
final class SwitchTreeServingTest {
    private static final int LEAF = ScriptedClient.LEAF;
    private static final BulkHandler NOTHING = (stream, request) -> {
        throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "nothing is served here");
    };

    @TempDir
    private Path directory;

    private final byte[] bytes = new byte[8 * LEAF + 100];
    /** The urgency of requests. */
    private Urgency urgency = Urgency.of(Priority.BATCH);

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider spans = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    /** The span of requests. */
    private Optional<TraceParent> trace = Optional.empty();

    private final BulkTransport transport =
            new BulkTransport("test-child", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());

    {
        new Random(1).nextBytes(bytes);
    }

    @AfterEach
    void close() {
        transport.close();
        spans.close();
    }

    private HelperCluster cluster(int helpers, int stallsAfter, String... more) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("helper.switch.volumes", "*"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        int[] stalls = new int[helpers];
        Arrays.fill(stalls, -1);
        stalls[0] = stallsAfter;
        HelperCluster cluster = new HelperCluster(directory, settings, spans.get("test"), stalls);
        try (ScriptedClient uploader = new ScriptedClient(cluster)) {
            int index = Math.toIntExact(chunk(cluster).index());
            var unused = uploader.upload(0, index, bytes, ScriptedClient.crcs(bytes), stores(cluster), 1)
                    .get(20, TimeUnit.SECONDS);
        }
        return cluster;
    }

    private static List<Store> stores(HelperCluster cluster) {
        return cluster.stores().subList(0, 1);
    }

    /** A switch that requests the block, with the events it heard. */
    private static final class Child implements BulkStreamListener {
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        final CompletableFuture<byte[]> end = new CompletableFuture<>();
        private final CompletableFuture<BulkStream> stream = new CompletableFuture<>();

        @Override
        public void data(ByteBuf payload, int crc32c) {
            byte[] leaf = new byte[payload.readableBytes()];
            payload.readBytes(leaf);
            payload.release();
            synchronized (this) {
                got.writeBytes(leaf);
            }
        }

        @Override
        public void ended(byte[] trailer) {
            var unused = stream.thenAccept(open -> open.end(new byte[0]));
            end.complete(got.toByteArray());
        }

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {
            end.completeExceptionally(cause);
        }

        synchronized int gotBytes() {
            return got.size();
        }

        ErrorCode failure() {
            return end.handle((bytes, error) -> error instanceof CloudMwException known ? known.code() : null)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }
    }

    private Child ask(HelperCluster cluster, int helper, List<HelperAddress> tree, int height) throws Exception {
        return ask(cluster, helper, tree, height, cluster.token(TransferRight.READ), bytes.length);
    }

    /** Requests the block of a helper and grants {@code granted} bytes. */
    private Child ask(
            HelperCluster cluster, int helper, List<HelperAddress> tree, int height, TransferToken token, long granted)
            throws Exception {
        return ask(cluster, connect(cluster, helper), tree, height, token, granted);
    }

    private BulkConnection connect(HelperCluster cluster, int helper) throws Exception {
        return connect(cluster, helper, new BulkConnector(transport, "child"));
    }

    private static BulkConnection connect(HelperCluster cluster, int helper, BulkConnector connector) throws Exception {
        HostPort address = HostPort.parse(cluster.addresses().get(helper).bulk());
        return connector
                .connect(InetSocketAddress.createUnresolved(address.host(), address.port()), NOTHING)
                .get(10, TimeUnit.SECONDS);
    }

    private Child ask(
            HelperCluster cluster,
            BulkConnection connection,
            List<HelperAddress> tree,
            int height,
            TransferToken token,
            long granted)
            throws CloudMwException {
        return ask(cluster, connection, tree, height, token, granted, false);
    }

    private Child ask(
            HelperCluster cluster,
            BulkConnection connection,
            List<HelperAddress> tree,
            int height,
            TransferToken token,
            long granted,
            boolean reader)
            throws CloudMwException {
        Block block = new Block(
                new BlockId(0),
                0,
                new ByteRange(0, bytes.length),
                1,
                List.of(new Entrant(new RacerId(0), 0)),
                BlockRule.SOLE);
        List<HelperAddress> helpers = new ArrayList<>(tree);
        HelperAddress owner = cluster.addresses().get(0);
        if (!helpers.contains(owner)) {
            helpers.add(owner);
        }
        BulkRequest.Shared request = new BulkRequest.Shared(
                token,
                new IssuedBlock(
                                block,
                                chunk(cluster),
                                bytes.length,
                                LEAF,
                                ScriptedClient.crcs(bytes),
                                List.of(stores(cluster).get(0).id()),
                                false)
                        .tracedAs(trace),
                stores(cluster),
                helpers,
                tree.size(),
                height,
                urgency,
                reader,
                false,
                0);
        Child child = new Child();
        BulkStream stream = connection.open(request.encode(), child);
        child.stream.complete(stream);
        stream.grant(granted);
        return child;
    }

    /** The first chunk whose root is the helper with the replica. */
    private static ChunkId chunk(HelperCluster cluster) {
        SwitchTree tree = new SwitchTree(cluster.addresses());
        return IntStream.range(0, 1000)
                .mapToObj(index -> new ChunkId(cluster.version, index))
                .filter(chunk -> tree.of(0, chunk, 1, 0).place() == 0)
                .findFirst()
                .orElseThrow();
    }

    /** The helpers in the order of the block's tree. */
    private static List<Integer> places(HelperCluster cluster, List<HelperAddress> tree) {
        SwitchTree shape = new SwitchTree(tree);
        return IntStream.range(0, tree.size())
                .boxed()
                .sorted(Comparator.comparingInt(
                        rank -> shape.of(rank, chunk(cluster), 1, 0).place()))
                .map(rank -> cluster.addresses().indexOf(tree.get(rank)))
                .toList();
    }

    private static double counted(HelperCluster cluster, int helper, String meter) {
        return cluster.meters.get(helper).get(meter).counter().count();
    }

    private static double counted(HelperCluster cluster, String meter) {
        return IntStream.range(0, cluster.meters.size())
                .mapToDouble(helper -> counted(cluster, helper, meter))
                .sum();
    }

    @Test
    void missingBlockComesThroughTheSwitchesAboveAndTheStoreIsReadOnce() throws Exception {
        try (HelperCluster cluster = cluster(8, -1)) {
            // The owner of the replica is not asked: it reads its file again for a late reader.
            List<HelperAddress> tree = cluster.addresses().subList(1, 8);
            List<Integer> byPlace = places(cluster, tree);
            List<Child> children = new ArrayList<>();
            for (int place = 6; place >= 0; place--) {
                children.add(ask(cluster, byPlace.get(place), tree, place));
            }
            for (Child child : children) {
                assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            }
            assertThat(counted(cluster, CacheMetrics.FETCHED)).isEqualTo(bytes.length);
            assertThat(counted(cluster, byPlace.get(0), CacheMetrics.FETCHED)).isEqualTo(bytes.length);
            assertThat(counted(cluster, SwitchMetrics.RECEIVED)).isEqualTo(6.0 * bytes.length);
            await().untilAsserted(() ->
                    assertThat(counted(cluster, SwitchMetrics.SENT)).isEqualTo(13.0 * bytes.length));
        }
    }

    /** The switch at place 3 asks that at place 1, which asks the root. */
    @Test
    void fetchOfASwitchIsTheParentOfTheFetchOfTheSwitchAbove() throws Exception {
        try (HelperCluster cluster = cluster(8, -1)) {
            List<HelperAddress> tree = cluster.addresses().subList(1, 8);
            List<Integer> byPlace = places(cluster, tree);
            Span request = spans.get("test").spanBuilder("request").startSpan();
            trace = TraceParent.of(request);
            Child child = ask(cluster, byPlace.get(3), tree, 3);
            assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);

            await().until(() -> exporter.getFinishedSpanItems().size() == 3);
            String parent = request.getSpanContext().getSpanId();
            for (int place : List.of(3, 1, 0)) {
                String helper = cluster.addresses().get(byPlace.get(place)).id().value();
                SpanData fetch = exporter.getFinishedSpanItems().stream()
                        .filter(span -> helper.equals(span.getAttributes().get(Traces.HELPER)))
                        .findFirst()
                        .orElseThrow();
                assertThat(fetch.getParentSpanId()).as("place " + place).isEqualTo(parent);
                assertThat(fetch.getTraceId())
                        .isEqualTo(request.getSpanContext().getTraceId());
                assertThat(fetch.getAttributes().get(Traces.STATE)).isEqualTo("finished");
                assertThat(fetch.getAttributes().get(Traces.BYTES)).isEqualTo(bytes.length);
                parent = fetch.getSpanId();
            }
        }
    }

    /** The store gives three leaves and stalls; they reach the end of the chain before it is closed. */
    @Test
    void leavesAreForwardedBeforeTheBlockIsComplete() throws Exception {
        try (HelperCluster cluster = cluster(4, 3 * LEAF)) {
            List<HelperAddress> tree = cluster.addresses();
            Child child = ask(cluster, places(cluster, tree).get(3), tree, 3);
            await().until(() -> child.gotBytes() == 3 * LEAF);
            assertThat(child.end).isNotDone();
        }
    }

    @Test
    void nextSwitchAboveIsAskedWhenTheParentIsDown() throws Exception {
        try (HelperCluster cluster = cluster(8, -1)) {
            List<HelperAddress> tree = cluster.addresses().subList(1, 8);
            List<Integer> byPlace = places(cluster, tree);
            int root = byPlace.get(0);
            Child atRoot = ask(cluster, root, tree, 0);
            assertThat(atRoot.end).succeedsWithin(30, TimeUnit.SECONDS);
            cluster.helpers.get(byPlace.get(1)).close();
            Child child = ask(cluster, byPlace.get(3), tree, 3);
            assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            assertThat(counted(cluster, byPlace.get(3), SwitchMetrics.MOVED)).isEqualTo(1);
            assertThat(counted(cluster, byPlace.get(3), SwitchMetrics.RECEIVED)).isEqualTo(bytes.length);
            assertThat(counted(cluster, CacheMetrics.FETCHED)).isEqualTo(bytes.length);
        }
    }

    /**
     * The root finds the bad replica on its disk and reports it; a reader below the last switch hears of it, too.
     */
    @Test
    void badReplicaIsReportedOnceByTheRootAndNamedToReadersBelow() throws Exception {
        Reported reported = new Reported();
        Server coordinator = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .intercept(VersionHandshake.server())
                .addService(reported)
                .build()
                .start();
        try (HelperCluster cluster = cluster(4, -1, "helper.coordinator", "127.0.0.1:" + coordinator.getPort());
                ScriptedClient client = new ScriptedClient(cluster).throughSwitches()) {
            int index = Math.toIntExact(chunk(cluster).index());
            List<Store> second = cluster.stores().subList(1, 2);
            assertThat(client.upload(1, index, bytes, ScriptedClient.crcs(bytes), second, 1))
                    .succeedsWithin(20, TimeUnit.SECONDS);
            damageTheReplicaOnTheFirstDisk();
            int near = places(cluster, cluster.addresses()).get(3);
            client.begin(near);
            var unused = client.issueTo(new Entrant(new RacerId(near), 0), 0, index, bytes);
            await().until(() -> client.events.get(0).stream().anyMatch(TransferEvent::hasForfeited));
            assertThat(client.issueTo(new Entrant(new RacerId(near), 1), 1, index, bytes))
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(bytes);
            assertThat(client.events.get(0).stream()
                            .filter(TransferEvent::hasFault)
                            .map(event -> event.getFault().getErrorCode() + " "
                                    + event.getFault().getStoreId()))
                    .containsExactly("REPLICA_CORRUPT d0");
            await().untilAsserted(() -> assertThat(reported.replicas)
                    .filteredOn(replica -> replica.getState() != ReplicaState.REPLICA_STATE_GOOD)
                    .extracting(ReplicaReport::getStoreId, ReplicaReport::getState)
                    .containsExactly(tuple("d0", ReplicaState.REPLICA_STATE_CORRUPT)));
            assertThat(counted(cluster, near, SwitchMetrics.RECEIVED)).isEqualTo(bytes.length);
        } finally {
            coordinator.shutdownNow();
        }
    }

    private void damageTheReplicaOnTheFirstDisk() throws IOException {
        Path replica;
        try (var files = Files.walk(directory.resolve("disk-0"))) {
            replica = files.filter(
                            file -> Files.isRegularFile(file) && file.toFile().length() >= bytes.length)
                    .findFirst()
                    .orElseThrow();
        }
        byte[] damaged = Files.readAllBytes(replica);
        damaged[LEAF / 2] ^= 1;
        Files.write(replica, damaged);
    }

    /** A coordinator that only accepts reports of replicas. */
    private static final class Reported extends CoordinatorGrpc.CoordinatorImplBase {
        final List<ReplicaReport> replicas = new CopyOnWriteArrayList<>();

        @Override
        public void reportReplicas(ReportReplicasRequest request, StreamObserver<ReportReplicasResponse> answer) {
            replicas.addAll(request.getReplicasList());
            answer.onNext(ReportReplicasResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    /** A parent that sends a good first leaf and a wrong second one. */
    private final class Spoiled implements BulkStreamListener {
        final CompletableFuture<ErrorCode> end = new CompletableFuture<>();
        private final BulkStream stream;
        private final boolean sumsWell;
        private boolean sent;

        /** @param sumsWell whether the checksum matches the wrong bytes */
        Spoiled(BulkStream stream, boolean sumsWell) {
            this.stream = stream;
            this.sumsWell = sumsWell;
        }

        @Override
        public synchronized void granted() {
            if (!sent && stream.credit() >= 2 * LEAF) {
                sent = true;
                int[] crcs = ScriptedClient.crcs(bytes);
                stream.send(Unpooled.wrappedBuffer(bytes, 0, LEAF), crcs[0]);
                byte[] second = Arrays.copyOfRange(bytes, LEAF, 2 * LEAF);
                second[17] ^= 1;
                stream.send(Unpooled.wrappedBuffer(second), sumsWell ? ScriptedClient.crc(second, 0, LEAF) : crcs[1]);
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void failed(CloudMwException cause) {
            end.complete(cause.code());
        }
    }

    /** The parent hears of the damage, no store is blamed, and its good leaves are not requested again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nextSwitchAboveIsAskedWhenTheParentSendsADamagedLeaf(boolean sumsWell) throws Exception {
        CompletableFuture<Spoiled> asked = new CompletableFuture<>();
        BulkHandler spoiled = (stream, request) -> {
            Spoiled parent = new Spoiled(stream, sumsWell);
            asked.complete(parent);
            return parent;
        };
        try (HelperCluster cluster = cluster(2, -1);
                BulkServer server = BulkServer.bind(
                        transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "parent", spoiled)) {
            List<HelperAddress> tree = treeUnder("127.0.0.1:" + server.port(), cluster);
            Child child = ask(cluster, 1, tree, 1);
            assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            assertThat(asked.thenCompose(parent -> parent.end))
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(ErrorCode.REPLICA_CORRUPT);
            assertThat(counted(cluster, 1, SwitchMetrics.MOVED)).isEqualTo(1);
            assertThat(counted(cluster, 1, SwitchMetrics.RECEIVED)).isEqualTo(LEAF);
            assertThat(counted(cluster, 1, CacheMetrics.FETCHED)).isEqualTo(bytes.length - LEAF);
        }
    }

    /** Clients below have their own shares, classes and remaining times at the switch above. */
    @Test
    void switchAboveHearsTheClientAndTheUrgencyOfARequest() throws Exception {
        urgency = new Urgency(Priority.BATCH, Optional.of(Duration.ofHours(1)));
        CompletableFuture<BulkRequest.Shared> asked = new CompletableFuture<>();
        BulkHandler parent = (stream, request) -> {
            asked.complete((BulkRequest.Shared) BulkRequest.decode(request));
            throw new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "not now");
        };
        try (HelperCluster cluster = cluster(2, -1);
                BulkServer server = BulkServer.bind(
                        transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "parent", parent)) {
            List<HelperAddress> tree = treeUnder("127.0.0.1:" + server.port(), cluster);
            BulkConnection reader = connect(cluster, 1);
            TransferToken token = cluster.token(TransferRight.READ);
            Child child = ask(cluster, reader, tree, 1, token, bytes.length, true);
            assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            assertThat(asked).succeedsWithin(30, TimeUnit.SECONDS).satisfies(request -> {
                assertThat(request.reader()).isFalse();
                assertThat(request.urgency().priority()).isEqualTo(Priority.BATCH);
                assertThat(request.urgency().deadline().orElseThrow())
                        .isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
                assertThat(request.share()).isEqualTo(new Tenant(reader.sessionId(), "v", Priority.BATCH).share());
            });
        }
    }

    /** The tree of the second helper and a root with this id. */
    private static List<HelperAddress> treeUnder(String bulk, HelperCluster cluster) {
        return IntStream.range(0, 1000)
                .mapToObj(number -> List.of(
                        new HelperAddress(new HelperId("root" + number), bulk, bulk),
                        cluster.addresses().get(1)))
                .filter(tree -> new SwitchTree(tree).of(0, chunk(cluster), 1, 0).place() == 0)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void blockIsDroppedFromTheCacheWhenItArrivesDamagedAtASwitchBelow() throws Exception {
        try (HelperCluster cluster = cluster(2, -1)) {
            List<HelperAddress> tree = cluster.addresses().subList(1, 2);
            assertThat(ask(cluster, 1, tree, 0).end).succeedsWithin(30, TimeUnit.SECONDS);
            Child doubting = ask(cluster, 1, tree, 0, cluster.token(TransferRight.READ), LEAF);
            await().until(() -> doubting.gotBytes() == LEAF);
            assertThat(counted(cluster, 1, CacheMetrics.FETCHED)).isEqualTo(bytes.length);
            doubting.stream.join().reset(ErrorCode.REPLICA_CORRUPT, "not what it should be");
            await().untilAsserted(() -> {
                assertThat(ask(cluster, 1, tree, 0).end)
                        .succeedsWithin(30, TimeUnit.SECONDS)
                        .isEqualTo(bytes);
                assertThat(counted(cluster, 1, CacheMetrics.FETCHED)).isEqualTo(2.0 * bytes.length);
            });
        }
    }

    @Test
    void storeIsReadByASingleSuccessorWhenTheRootIsDown() throws Exception {
        try (HelperCluster cluster = cluster(8, -1)) {
            List<HelperAddress> tree = cluster.addresses().subList(1, 8);
            List<Integer> byPlace = places(cluster, tree);
            cluster.helpers.get(byPlace.get(0)).close();
            List<Child> children = new ArrayList<>();
            for (int place = 6; place > 0; place--) {
                children.add(ask(cluster, byPlace.get(place), tree, place));
            }
            for (Child child : children) {
                assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            }
            assertThat(counted(cluster, byPlace.get(1), CacheMetrics.FETCHED)).isEqualTo(bytes.length);
            assertThat(counted(cluster, CacheMetrics.FETCHED)).isEqualTo(bytes.length);
        }
    }

    /** All switches ask at once with different trees, so that a cycle of waits would be possible. */
    @Test
    void switchesWithDifferentTreesNeverWaitForEachOther() throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < 3; round++) {
            directory = Files.createDirectory(directory.resolve("r" + round));
            try (HelperCluster cluster = cluster(6, -1)) {
                List<Child> children = new ArrayList<>();
                for (int helper = 0; helper < 6; helper++) {
                    List<HelperAddress> view = new ArrayList<>(cluster.addresses());
                    Collections.shuffle(view, random);
                    children.add(ask(cluster, helper, view, view.size() - 1));
                }
                for (Child child : children) {
                    assertThat(child.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
                }
            }
        }
    }

    /** A block that comes through others is not served to a switch that those may wait for. */
    @Test
    void requestIsRefusedWhenItsBlockComesFromAGreaterHeight() throws Exception {
        try (HelperCluster cluster = cluster(4, LEAF)) {
            List<HelperAddress> tree = cluster.addresses();
            int last = places(cluster, tree).get(3);
            Child first = ask(cluster, last, tree, 3);
            await().until(() -> first.gotBytes() == LEAF);
            assertThat(ask(cluster, last, tree, 2).failure()).isEqualTo(ErrorCode.OVERLOADED);
            Child joined = ask(cluster, last, tree, 3);
            await().until(() -> joined.gotBytes() == LEAF);
            assertThat(counted(cluster, last, SwitchMetrics.REFUSED)).isEqualTo(1);
        }
    }

    @Test
    void requestsBeyondTheLimitOfChildrenAreRefused() throws Exception {
        try (HelperCluster cluster = cluster(1, -1, "helper.switch.children", "2")) {
            List<HelperAddress> tree = cluster.addresses();
            TransferToken token = cluster.token(TransferRight.READ);
            Child first = ask(cluster, 0, tree, 0, token, LEAF);
            Child second = ask(cluster, 0, tree, 0, token, LEAF);
            await().until(() -> first.gotBytes() == LEAF && second.gotBytes() == LEAF);
            assertThat(ask(cluster, 0, tree, 0).failure()).isEqualTo(ErrorCode.OVERLOADED);
            second.stream.join().reset(ErrorCode.CANCELLED, "enough");
            await().untilAsserted(() -> assertThat(ask(cluster, 0, tree, 0).end)
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(bytes));
        }
    }

    @Test
    void readerDoesNotCountAsAChild() throws Exception {
        try (HelperCluster cluster = cluster(1, -1, "helper.switch.children", "1", "helper.switch.reads", "2")) {
            List<HelperAddress> tree = cluster.addresses();
            TransferToken token = cluster.token(TransferRight.READ);
            Child child = ask(cluster, 0, tree, 0, token, LEAF);
            await().until(() -> child.gotBytes() == LEAF);
            Child reader = ask(cluster, connect(cluster, 0), tree, 0, token, LEAF, true);
            await().until(() -> reader.gotBytes() == LEAF);
            Child another = ask(cluster, connect(cluster, 0), tree, 0, token, LEAF, true);
            assertThat(another.failure()).isEqualTo(ErrorCode.OVERLOADED);
            reader.stream.join().reset(ErrorCode.CANCELLED, "enough");
            await().untilAsserted(() -> assertThat(
                            ask(cluster, connect(cluster, 0), tree, 0, token, bytes.length, true).end)
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(bytes));
        }
    }

    /** A longer request would delay the others on the event loop. */
    @Test
    void connectionForSmallRequestsServesSingleLeavesOnly() throws Exception {
        try (HelperCluster cluster = cluster(1, -1)) {
            List<HelperAddress> tree = cluster.addresses();
            TransferToken token = cluster.token(TransferRight.READ);
            BulkConnection small = connect(cluster, 0, new BulkConnector(transport, "reader").interactive());
            assertThat(ask(cluster, small, tree, 0, token, bytes.length, true).failure())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(ask(cluster, small, tree, 0, token, LEAF).failure()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(small.isClosed()).isFalse();
            assertThat(ask(cluster, connect(cluster, 0), tree, 0, token, bytes.length, true).end)
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(bytes);
        }
    }

    /** Otherwise a switch that lacks scattered leaves would soon be refused. */
    @Test
    void childCountsOnceForSeveralPartsOfABlock() throws Exception {
        try (HelperCluster cluster = cluster(1, -1, "helper.switch.children", "1")) {
            List<HelperAddress> tree = cluster.addresses();
            TransferToken token = cluster.token(TransferRight.READ);
            BulkConnection child = connect(cluster, 0);
            Child part = ask(cluster, child, tree, 0, token, LEAF);
            await().until(() -> part.gotBytes() == LEAF);
            Child another = ask(cluster, child, tree, 0, token, bytes.length);
            assertThat(another.end).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(bytes);
            assertThat(ask(cluster, 0, tree, 0).failure()).isEqualTo(ErrorCode.OVERLOADED);
            part.stream.join().reset(ErrorCode.CANCELLED, "enough");
            await().untilAsserted(() -> assertThat(ask(cluster, 0, tree, 0).end)
                    .succeedsWithin(30, TimeUnit.SECONDS)
                    .isEqualTo(bytes));
        }
    }

    @Test
    void requestWithoutTheRightIsRefused() throws Exception {
        try (HelperCluster cluster = cluster(1, -1)) {
            List<HelperAddress> tree = cluster.addresses();
            assertThat(ask(cluster, 0, tree, 0, cluster.token(TransferRight.WRITE), 1)
                            .failure())
                    .isEqualTo(ErrorCode.UNAUTHENTICATED);
            TransferToken other = cluster.token(TransferRight.READ, VersionId.random());
            assertThat(ask(cluster, 0, tree, 0, other, 1).failure()).isEqualTo(ErrorCode.UNAUTHENTICATED);
        }
    }

    @Test
    void helperRefusesVolumesForWhichItIsNoSwitch() throws Exception {
        try (HelperCluster cluster = cluster(1, -1, "helper.switch.volumes", "another")) {
            assertThat(ask(cluster, 0, cluster.addresses(), 0).failure()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
        }
    }
}
