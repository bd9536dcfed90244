package io.cloudmw.coordinator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.proto.v1.AddStoreRequest;
import io.cloudmw.proto.v1.Change;
import io.cloudmw.proto.v1.ChangeFeedGrpc;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CoordinatorGrpc.CoordinatorBlockingStub;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.DeleteVolumeRequest;
import io.cloudmw.proto.v1.FileVersion;
import io.cloudmw.proto.v1.Mode;
import io.cloudmw.proto.v1.S3Store;
import io.cloudmw.proto.v1.Store;
import io.cloudmw.proto.v1.Volume;
import io.cloudmw.proto.v1.WatchEvent;
import io.cloudmw.proto.v1.WatchRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of watches on a coordinator on loopback, through its gRPC interface. */
final class WatchServiceTest {
    /** The SHA-256 of no segments. */
    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    private Path directory;

    private CoordinatorServer server;
    private ManagedChannel channel;
    private CoordinatorBlockingStub stub;

    @BeforeEach
    void start() throws Exception {
        serve(0, Map.of());
        stub.addStore(AddStoreRequest.newBuilder()
                .setStore(Store.newBuilder()
                        .setId("s")
                        .setFailureDomain("d")
                        .setS3(S3Store.newBuilder().setBucket("bucket").setRegion("eu-west-1")))
                .build());
        stub.createVolume(CreateVolumeRequest.newBuilder()
                .setVolume(Volume.newBuilder()
                        .setName("v")
                        .setChunkSizeBytes(1 << 20)
                        .setReplicas(1)
                        .setWriteQuorum(1)
                        .setMode(Mode.MODE_ROUNDS)
                        .addStoreIds("s"))
                .build());
    }

    private void serve(int port, Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("tls.insecure", "true");
        settings.put("coordinator.listen", "127.0.0.1:" + port);
        settings.put("coordinator.data-dir", directory.resolve("data").toString());
        settings.put("cluster.secret-file", directory.resolve("secret").toString());
        server = CoordinatorServer.start(CoordinatorConfig.read(Settings.of(settings)));
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .intercept(VersionHandshake.client())
                .build();
        stub = CoordinatorGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.close();
    }

    private void put(String path) {
        FileVersion unused = stub.commitPut(CommitPutRequest.newBuilder()
                        .setVersion(FileVersion.newBuilder()
                                .setVolume("v")
                                .setPath(path)
                                .setVersionId(UUID.randomUUID().toString().replace("-", ""))
                                .setLeafSizeBytes(256 << 10)
                                .setManifestSha256(
                                        ByteString.copyFrom(HexFormat.of().parseHex(EMPTY))))
                        .build())
                .getVersion();
    }

    private void puts(int from, int to) {
        for (int i = from; i < to; i++) {
            put("/" + "long".repeat(200) + "/f" + i);
        }
    }

    /** The events of one call, as far as they were requested. */
    private static final class Events implements ClientResponseObserver<WatchRequest, WatchEvent> {
        private final List<WatchEvent> events = new CopyOnWriteArrayList<>();
        private final int initially;
        private volatile @Nullable ClientCallStreamObserver<WatchRequest> call;
        private volatile @Nullable Throwable failure;
        private volatile boolean completed;

        Events(int initially) {
            this.initially = initially;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchRequest> started) {
            started.disableAutoRequestWithInitial(initially);
            call = started;
        }

        ClientCallStreamObserver<WatchRequest> call() {
            return Objects.requireNonNull(call);
        }

        @Override
        public void onNext(WatchEvent event) {
            events.add(event);
        }

        @Override
        public void onError(Throwable thrown) {
            failure = thrown;
        }

        @Override
        public void onCompleted() {
            completed = true;
        }

        List<Long> positions() {
            return events.stream()
                    .flatMap(event -> event.getChangesList().stream())
                    .map(Change::getPosition)
                    .toList();
        }

        ErrorCode code() {
            await().until(() -> failure != null);
            return RpcErrors.fromStatus(Objects.requireNonNull(failure), ErrorCode.INTERNAL, "coordinator")
                    .code();
        }
    }

    private Events watch(WatchRequest.Builder request, int initially) {
        Events events = new Events(initially);
        ChangeFeedGrpc.newStub(channel).watch(request.setVolume("v").build(), events);
        return events;
    }

    private static void awaitPositions(Events events, long from, long to) {
        await().untilAsserted(() -> assertThat(events.positions())
                .isEqualTo(LongStream.range(from, to).boxed().toList()));
    }

    @Test
    void commitsAreStreamedUntilTheVolumeIsDeleted() {
        put("/before");
        Events events = watch(WatchRequest.newBuilder().setPath("/"), 1000);
        await().until(() -> !events.events.isEmpty());
        assertThat(events.events.get(0))
                .isEqualTo(WatchEvent.newBuilder().setPosition(1).build());
        puts(0, 20);
        awaitPositions(events, 2, 22);
        var unused = stub.deleteVolume(
                DeleteVolumeRequest.newBuilder().setName("v").setForce(true).build());
        await().until(() -> events.completed);
        assertThat(events.positions()).hasSize(21);
    }

    /** The changes have 800 KB, more than the transport and the call buffer. */
    @Test
    void slowWatcherReceivesTheRestWhenItAcceptsMore() {
        Events events = watch(WatchRequest.newBuilder().setPath("/"), 1);
        await().until(() -> !events.events.isEmpty());
        puts(0, 1000);
        Events other = watch(WatchRequest.newBuilder().setPath("/").setAfter(0), 100_000);
        awaitPositions(other, 1, 1001);
        assertThat(events.events).hasSize(1);
        events.call().request(100_000);
        awaitPositions(events, 1, 1001);
    }

    @Test
    void malformedWatchIsRefusedWithItsReason() {
        assertThat(watch(WatchRequest.newBuilder().setPath("a"), 1).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(watch(WatchRequest.newBuilder().setPath("/").setAfter(-1), 1).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        var unused = stub.deleteVolume(
                DeleteVolumeRequest.newBuilder().setName("v").setForce(true).build());
        assertThat(watch(WatchRequest.newBuilder().setPath("/"), 1).code()).isEqualTo(ErrorCode.VOLUME_NOT_FOUND);
    }

    @Test
    void stoppingCoordinatorTellsItsWatchersAtOnceAndTheNextOneContinues() throws Exception {
        Events before = watch(WatchRequest.newBuilder().setPath("/"), 1000);
        await().until(() -> !before.events.isEmpty());
        put("/a");
        awaitPositions(before, 1, 2);
        int port = server.port();
        server.close();
        assertThat(before.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        channel.shutdownNow();
        serve(port, Map.of("coordinator.watch.limit", "2"));
        put("/b");
        Events after = watch(WatchRequest.newBuilder().setPath("/").setAfter(1), 1000);
        awaitPositions(after, 2, 3);

        Events second = watch(WatchRequest.newBuilder().setPath("/"), 1000);
        await().until(() -> !second.events.isEmpty());
        assertThat(watch(WatchRequest.newBuilder().setPath("/"), 1).code()).isEqualTo(ErrorCode.OVERLOADED);
        second.call().cancel("on purpose", null);
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(50, TimeUnit.MILLISECONDS)
                .until(() -> {
                    Events again = watch(WatchRequest.newBuilder().setPath("/"), 1000);
                    await().until(() -> !again.events.isEmpty() || again.failure != null);
                    return again.failure == null;
                });
    }
}
