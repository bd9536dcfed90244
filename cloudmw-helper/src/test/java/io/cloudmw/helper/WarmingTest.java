package io.cloudmw.helper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.ByteRange;
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
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.BeginWarming;
import io.cloudmw.proto.v1.WarmCommand;
import io.cloudmw.proto.v1.WarmEvent;
import io.cloudmw.proto.v1.WarmedBlock;
import io.cloudmw.proto.v1.WarmingGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of warm-ups at real helpers. The first helper has the only replica. */
@Timeout(60)
final class WarmingTest {
    private static final int LEAF = ScriptedClient.LEAF;

    @TempDir
    private Path directory;

    private final byte[] bytes = new byte[8 * LEAF + 100];
    private final List<ManagedChannel> channels = new ArrayList<>();

    {
        new Random(1).nextBytes(bytes);
    }

    @AfterEach
    void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    /** Starts helpers; the disk of the first stalls after some bytes, unless the number is negative. */
    private HelperCluster cluster(int helpers, int stallsAfter, String... more) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of("helper.switch.volumes", "*"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        int[] stalls = new int[helpers];
        Arrays.fill(stalls, -1);
        stalls[0] = stallsAfter;
        HelperCluster cluster = new HelperCluster(directory, settings, stalls);
        try (ScriptedClient uploader = new ScriptedClient(cluster)) {
            var unused = uploader.upload(0, 0, bytes, ScriptedClient.crcs(bytes), stores(cluster), 1)
                    .get(20, TimeUnit.SECONDS);
        }
        return cluster;
    }

    private static List<Store> stores(HelperCluster cluster) {
        return cluster.stores().subList(0, 1);
    }

    /** A client that warms one helper, with the events it heard. */
    private final class Client implements StreamObserver<WarmEvent> {
        final List<WarmEvent> events = new CopyOnWriteArrayList<>();
        /** The failure; empty after success. */
        final CompletableFuture<List<ErrorCode>> end = new CompletableFuture<>();
        /** The retry-after; set before the end. */
        volatile Optional<Duration> pause = Optional.empty();

        private final StreamObserver<WarmCommand> commands;

        Client(HelperCluster cluster, int helper, int tree) {
            this(cluster, helper, tree, cluster.token(TransferRight.READ));
        }

        /** @param tree number of members, from the second helper on */
        Client(HelperCluster cluster, int helper, int tree, TransferToken token) {
            ManagedChannel channel = NettyChannelBuilder.forTarget(
                            "dns:///" + cluster.addresses().get(helper).control())
                    .usePlaintext()
                    .intercept(VersionHandshake.client())
                    .build();
            channels.add(channel);
            commands = WarmingGrpc.newStub(channel).warm(this);
            BeginWarming.Builder begin =
                    BeginWarming.newBuilder().setToken(ToWire.token(token)).setTree(tree);
            members(cluster, tree).forEach(member -> begin.addHelpers(ToWire.helper(member)));
            begin.addHelpers(ToWire.helper(cluster.addresses().get(0)));
            stores(cluster).forEach(store -> begin.addStores(ToWire.store(store)));
            commands.onNext(WarmCommand.newBuilder().setBegin(begin).build());
        }

        Client keep(HelperCluster cluster, int id) {
            return keep(id, new ChunkId(cluster.version, 0), stores(cluster));
        }

        Client keep(int id, ChunkId chunk, List<Store> stores) {
            commands.onNext(WarmCommand.newBuilder()
                    .setKeep(ToWire.block(issued(id, chunk, stores)))
                    .build());
            return this;
        }

        Client look(HelperCluster cluster, int id) {
            commands.onNext(WarmCommand.newBuilder()
                    .setLook(ToWire.block(issued(id, new ChunkId(cluster.version, 0), stores(cluster))))
                    .build());
            return this;
        }

        private IssuedBlock issued(int id, ChunkId chunk, List<Store> stores) {
            Block block = new Block(
                    new BlockId(id),
                    0,
                    new ByteRange(0, bytes.length),
                    1,
                    List.of(new Entrant(new RacerId(0), 0)),
                    BlockRule.SOLE);
            return new IssuedBlock(
                    block,
                    chunk,
                    bytes.length,
                    LEAF,
                    ScriptedClient.crcs(bytes),
                    List.of(stores.get(0).id()),
                    false);
        }

        List<ErrorCode> finish() throws Exception {
            commands.onCompleted();
            return end.get(30, TimeUnit.SECONDS);
        }

        void cancel() {
            ((ClientCallStreamObserver<WarmCommand>) commands).cancel("no longer wanted", null);
        }

        List<WarmedBlock> warmed() {
            return events.stream()
                    .filter(WarmEvent::hasWarmed)
                    .map(WarmEvent::getWarmed)
                    .toList();
        }

        @Override
        public void onNext(WarmEvent event) {
            events.add(event);
        }

        @Override
        public void onError(Throwable cause) {
            CloudMwException known = RpcErrors.fromStatus(cause, ErrorCode.HELPER_UNAVAILABLE, "helper");
            pause = known.retryAfter();
            end.complete(List.of(known.code()));
        }

        @Override
        public void onCompleted() {
            end.complete(List.of());
        }
    }

    private static List<HelperAddress> members(HelperCluster cluster, int tree) {
        return cluster.addresses().subList(1, 1 + tree);
    }

    private static double counted(HelperCluster cluster, int helper, String meter) {
        return cluster.meters.get(helper).get(meter).counter().count();
    }

    @Test
    void blockIsReadFromItsStoreOnceThenCached() throws Exception {
        try (HelperCluster cluster = cluster(2, -1)) {
            Client first = new Client(cluster, 1, 1).keep(cluster, 7);
            assertThat(first.finish()).isEmpty();
            assertThat(first.events.get(0).hasReady()).isTrue();
            assertThat(first.events.get(0).getReady().getWindow()).isEqualTo(2);
            assertThat(first.events.get(0).getReady().getCapacityBytes()).isEqualTo(24 << 20);
            WarmedBlock came = first.warmed().get(0);
            assertThat(came.getBlockId()).isEqualTo(7);
            assertThat(came.getErrorCode()).isEmpty();
            assertThat(came.getKeptBytes()).isZero();
            assertThat(came.getReadsList())
                    .singleElement()
                    .satisfies(reads -> assertThat(List.of(reads.getStoreId(), reads.getRequests(), reads.getBytes()))
                            .isEqualTo(List.of("d0", 1L, (long) bytes.length)));
            Client second = new Client(cluster, 1, 1).keep(cluster, 8).look(cluster, 9);
            assertThat(second.finish()).isEmpty();
            assertThat(second.warmed())
                    .extracting(WarmedBlock::getKeptBytes)
                    .containsExactly((long) bytes.length, (long) bytes.length);
            assertThat(counted(cluster, 1, CacheMetrics.FETCHED)).isEqualTo(bytes.length);
        }
    }

    /** The third helper is no member; it gets the block from a member, and no store is read again. */
    @Test
    void blockPassesThroughTheMembersOfATreeToAHelperBelow() throws Exception {
        try (HelperCluster cluster = cluster(4, -1)) {
            SwitchTree tree = new SwitchTree(members(cluster, 2));
            int root = tree.of(0, new ChunkId(cluster.version, 0), 1, 0).place() == 0 ? 1 : 2;
            for (int helper : new int[] {root, 3 - root, 3}) {
                Client client = new Client(cluster, helper, 2).keep(cluster, 0);
                assertThat(client.finish()).isEmpty();
                long parent = helper == root ? 0 : bytes.length;
                assertThat(client.warmed().get(0).getParentBytes()).isEqualTo(parent);
                assertThat(counted(cluster, helper, SwitchMetrics.RECEIVED)).isEqualTo((double) parent);
            }
            assertThat(IntStream.range(0, 4)
                            .mapToDouble(helper -> counted(cluster, helper, CacheMetrics.FETCHED))
                            .sum())
                    .isEqualTo(bytes.length);
        }
    }

    @Test
    void chunkOnAnOwnDiskCountsAsCached() throws Exception {
        try (HelperCluster cluster = cluster(1, -1)) {
            Client client = new Client(cluster, 0, 0).keep(cluster, 0).look(cluster, 1);
            assertThat(client.finish()).isEmpty();
            assertThat(client.warmed())
                    .extracting(WarmedBlock::getKeptBytes)
                    .containsExactly((long) bytes.length, (long) bytes.length);
            assertThat(counted(cluster, 0, CacheMetrics.FETCHED)).isZero();
        }
    }

    /** Only the chunk's file has this length. */
    private Path chunkOn(Path disk) throws IOException {
        try (Stream<Path> files = Files.find(disk, 16, (path, is) -> is.isRegularFile() && is.size() == bytes.length)) {
            return files.findFirst().orElseThrow();
        }
    }

    @Test
    void chunkLostFromAnOwnDiskCountsAsMissing() throws Exception {
        try (HelperCluster cluster = cluster(1, -1)) {
            Files.delete(chunkOn(directory.resolve("disk-0")));
            Client client = new Client(cluster, 0, 0).look(cluster, 0).keep(cluster, 1);
            assertThat(client.finish()).isEmpty();
            assertThat(client.warmed()).extracting(WarmedBlock::getKeptBytes).containsExactly(0L, 0L);
            assertThat(client.warmed().get(1).getErrorCode()).isEqualTo(ErrorCode.REPLICA_MISSING.name());
        }
    }

    @Test
    void warmUpWithoutTheRightToReadIsRefused() throws Exception {
        try (HelperCluster cluster = cluster(2, -1)) {
            Client writer = new Client(cluster, 1, 1, cluster.token(TransferRight.WRITE));
            assertThat(writer.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.UNAUTHENTICATED);
            Client other = new Client(cluster, 1, 1).keep(0, new ChunkId(VersionId.random(), 0), stores(cluster));
            assertThat(other.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.UNAUTHENTICATED);
            assertThat(counted(cluster, 1, CacheMetrics.FETCHED)).isZero();
        }
    }

    @Test
    void warmUpIsRefusedWhenTheHelperIsNoSwitchForTheVolume() throws Exception {
        try (HelperCluster cluster = cluster(2, -1, "helper.switch.volumes", "other")) {
            Client client = new Client(cluster, 1, 1);
            assertThat(client.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.HELPER_UNAVAILABLE);
        }
    }

    /** The store stalls, so that warm-ups run until they are cancelled. */
    @Test
    void warmUpsBeyondTheLimitAreRefusedUntilOneIsCancelled() throws Exception {
        try (HelperCluster cluster = cluster(2, 1024, "helper.switch.warmings", "1")) {
            Client first = new Client(cluster, 1, 1).keep(cluster, 0);
            await().until(() -> first.events.stream().anyMatch(WarmEvent::hasUnderWay));
            Client second = new Client(cluster, 1, 1);
            assertThat(second.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.OVERLOADED);
            assertThat(second.pause).isPresent();
            first.cancel();
            assertThat(first.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.CANCELLED);
            await().until(() -> {
                Client again = new Client(cluster, 1, 1);
                await().until(() -> !again.events.isEmpty() || again.end.isDone());
                again.cancel();
                return !again.events.isEmpty();
            });
        }
    }

    @Test
    void blocksBeyondTheWindowAreRefused() throws Exception {
        try (HelperCluster cluster = cluster(2, 1024)) {
            Client client = new Client(cluster, 1, 1);
            IntStream.range(0, 3).forEach(id -> client.keep(cluster, id));
            assertThat(client.end.get(30, TimeUnit.SECONDS)).containsExactly(ErrorCode.OVERLOADED);
            assertThat(client.warmed()).isEmpty();
        }
    }
}
