package io.cloudmw.coordinator.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.dynamodb.table.DynamoDbSettings;
import io.cloudmw.coordinator.fleet.BucketAccess;
import io.cloudmw.coordinator.identity.AuthorityOptions;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.watch.WatchOptions;
import io.cloudmw.core.audit.AuditFileOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.CoordinatorMetrics;
import io.cloudmw.core.metrics.PeerMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.TlsOptions;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.Attributes;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.CommitPutRequest;
import io.cloudmw.proto.v1.CommitPutResponse;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.CoordinatorGrpc.CoordinatorBlockingStub;
import io.cloudmw.proto.v1.CopyFileRequest;
import io.cloudmw.proto.v1.CreateDirectoryRequest;
import io.cloudmw.proto.v1.CreateDirectoryResponse;
import io.cloudmw.proto.v1.CreateVolumeRequest;
import io.cloudmw.proto.v1.DiskStore;
import io.cloudmw.proto.v1.EntriesGrpc;
import io.cloudmw.proto.v1.Entry;
import io.cloudmw.proto.v1.FileVersion;
import io.cloudmw.proto.v1.GetEntryRequest;
import io.cloudmw.proto.v1.GetSegmentRequest;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.HelperActivity;
import io.cloudmw.proto.v1.ListHelpersRequest;
import io.cloudmw.proto.v1.ListRequest;
import io.cloudmw.proto.v1.ListResponse;
import io.cloudmw.proto.v1.ListVolumesRequest;
import io.cloudmw.proto.v1.Mode;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PutSegmentRequest;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.RemoveDirectoryRequest;
import io.cloudmw.proto.v1.RemoveDirectoryResponse;
import io.cloudmw.proto.v1.RemoveRequest;
import io.cloudmw.proto.v1.RemoveStoreRequest;
import io.cloudmw.proto.v1.RenameRequest;
import io.cloudmw.proto.v1.ReplicaReport;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.SetAttributesRequest;
import io.cloudmw.proto.v1.Sketch;
import io.cloudmw.proto.v1.StatRequest;
import io.cloudmw.proto.v1.StatResponse;
import io.cloudmw.proto.v1.Store;
import io.cloudmw.proto.v1.StoreSpeed;
import io.cloudmw.proto.v1.Volume;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a coordinator on loopback through its gRPC interface. Files are empty, since it handles no bytes. */
final class CoordinatorServerTest {
    /** The SHA-256 of no segments. */
    private static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    private Path directory;

    private final List<ManagedChannel> channels = new ArrayList<>();
    private CoordinatorServer server;
    private CoordinatorBlockingStub stub;

    @BeforeEach
    void start() throws Exception {
        server = CoordinatorServer.start(config(directory.resolve("data")));
        stub = stub(server);
        register(stub, 1);
        register(stub, 2);
        stub.createVolume(CreateVolumeRequest.newBuilder()
                .setVolume(Volume.newBuilder()
                        .setName("v")
                        .setChunkSizeBytes(1 << 20)
                        .setReplicas(2)
                        .setWriteQuorum(1)
                        .setMode(Mode.MODE_ROUNDS)
                        .addStoreIds("d1")
                        .addStoreIds("d2"))
                .build());
    }

    @AfterEach
    void stop() {
        channels.forEach(ManagedChannel::shutdownNow);
        server.close();
    }

    @Test
    void restartLosesNothingAcknowledged() throws Exception {
        FileVersion version = put("/a/b", "");
        server.close();
        server = CoordinatorServer.start(config(directory.resolve("data")));
        stub = stub(server);

        assertThat(stub.listVolumes(ListVolumesRequest.getDefaultInstance()).getVolumesList())
                .extracting(Volume::getName)
                .containsExactly("v");
        assertThat(stat("/a/b")).isEqualTo(version);
        assertThat(put("/a/b", version.getVersionId()).getVersionId()).isNotEqualTo(version.getVersionId());
    }

    @Test
    void volumeComesWithThePlacementThatIsWantedAndTheTime() {
        PlaceChunksRequest place = PlaceChunksRequest.newBuilder()
                .setVolume("v")
                .setPath("/file")
                .setVersionId(VersionId.random().value())
                .setCount(1)
                .setSizeBytes(10)
                .setChunkSizeBytes(10)
                .build();
        long before = WallClock.system().millis();
        GetVolumeResponse answer = stub.getVolume(
                GetVolumeRequest.newBuilder().setName("v").setPlace(place).build());
        assertThat(answer.getVolume().getName()).isEqualTo("v");
        assertThat(answer.getPlaced().getPlacements(0).getStoreIdsList()).containsExactlyInAnyOrder("d1", "d2");
        assertThat(answer.getPlacedMillis()).isPositive();
        assertThat(answer.getNowMillis()).isBetween(before, WallClock.system().millis());
        GetVolumeRequest tooMany = GetVolumeRequest.newBuilder()
                .setName("v")
                .setPlace(place.toBuilder().setCount(100_000))
                .build();
        assertThat(stub.getVolume(tooMany).hasPlaced())
                .as("a placement that fails is left to a call of its own")
                .isFalse();
        assertThat(stub.getVolume(GetVolumeRequest.newBuilder().setName("v").build())
                        .hasPlaced())
                .isFalse();
    }

    @Test
    void callsAreMeasured() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Path data = directory.resolve("measured");
        try (CoordinatorServer measured = CoordinatorServer.start(config(data), BucketAccess.none(), meters)) {
            CoordinatorBlockingStub calls = stub(measured, data.resolve("secret"));
            register(calls, 1);
            calls.listVolumes(ListVolumesRequest.getDefaultInstance());
            calls.listVolumes(ListVolumesRequest.getDefaultInstance());
            refused(
                    ErrorCode.NOT_FOUND,
                    () -> calls.removeStore(
                            RemoveStoreRequest.newBuilder().setId("none").build()));
            assertThat(meters.get(CoordinatorMetrics.CALLS)
                            .tags("method", "ListVolumes", "code", "OK")
                            .timer()
                            .count())
                    .isEqualTo(2);
            assertThat(meters.get(CoordinatorMetrics.CALLS)
                            .tags("method", "RemoveStore", "code", "NOT_FOUND")
                            .timer()
                            .count())
                    .isOne();
            assertThat(meters.get(CoordinatorMetrics.CATALOG)
                            .tags("operation", "volumes", "code", "OK")
                            .timer()
                            .count())
                    .isPositive();
            assertThat(meters.get(CoordinatorMetrics.HELPERS).gauge().value()).isOne();
            assertThat(meters.get(PeerMetrics.SERVING).gauge().value()).isZero();
            assertThat(meters.get(PeerMetrics.FOUND).functionCounter().count()).isZero();
            await().untilAsserted(() -> assertThat(
                            meters.get(CoordinatorMetrics.UPKEEP).gauge().value())
                    .isOne());
            assertThat(measured.isServing()).isTrue();
        }
    }

    @Test
    void measurementsOfAHelperNeverCostItItsLease() throws Exception {
        HeartbeatRequest alive = heartbeat(register(stub, 1));
        StoreSpeed unknownSize =
                StoreSpeed.newBuilder().setStoreId("d1").setSizeValue(99).build();
        StoreSpeed brokenSketch = StoreSpeed.newBuilder()
                .setStoreId("d1")
                .setSizeValue(1)
                .setEnded(Sketch.newBuilder().addSteps(-1))
                .build();
        for (StoreSpeed bad : List.of(unknownSize, brokenSketch)) {
            assertThat(stub.heartbeat(alive.toBuilder().addSpeeds(bad).build()))
                    .isEqualTo(HeartbeatResponse.getDefaultInstance());
        }
        assertThat(stub.heartbeat(alive.toBuilder()
                        .setActivity(HelperActivity.newBuilder().setWins(-1))
                        .build()))
                .isEqualTo(HeartbeatResponse.getDefaultInstance());
    }

    @Test
    void helpersMustRegisterAgainAfterARestart() throws Exception {
        RegisterHelperResponse lease = register(stub, 1);
        stub.heartbeat(heartbeat(lease));
        server.close();
        server = CoordinatorServer.start(config(directory.resolve("data")));
        stub = stub(server);
        refused(ErrorCode.HELPER_UNKNOWN, () -> stub.heartbeat(heartbeat(lease)));
        RegisterHelperResponse again = register(stub, 1);
        assertThat(again.getEpoch()).isGreaterThan(lease.getEpoch());
        assertThat(again.getHeartbeatIntervalMillis()).isEqualTo(2000);
        stub.heartbeat(heartbeat(again));
        assertThat(stub.listHelpers(ListHelpersRequest.getDefaultInstance()).getHelpersList())
                .singleElement()
                .satisfies(helper -> assertThat(helper.getAlive()).isTrue());
    }

    @Test
    void callerWithoutAProtocolVersionIsRefused() {
        CoordinatorBlockingStub naked = CoordinatorGrpc.newBlockingStub(channel(server));
        CloudMwException failure = failure(() -> naked.listVolumes(ListVolumesRequest.getDefaultInstance()));
        assertThat(failure.code()).isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
        assertThat(failure).hasMessageContaining("no protocol version");
    }

    @Test
    void helperMustKnowTheSecretAndClientNeedNot() throws Exception {
        CoordinatorBlockingStub stranger =
                CoordinatorGrpc.newBlockingStub(channel(server)).withInterceptors(VersionHandshake.client());
        CoordinatorBlockingStub other = stub(server, directory.resolve("another-secret"));
        HeartbeatRequest alive = heartbeat(register(stub, 1));
        for (CoordinatorBlockingStub caller : List.of(stranger, other)) {
            refused(ErrorCode.UNAUTHENTICATED, () -> register(caller, 3));
            refused(ErrorCode.UNAUTHENTICATED, () -> caller.heartbeat(alive));
            for (ReplicaState state : List.of(ReplicaState.GOOD, ReplicaState.OWED)) {
                refused(ErrorCode.UNAUTHENTICATED, () -> caller.reportReplicas(report(state)));
            }
            assertThat(caller.listVolumes(ListVolumesRequest.getDefaultInstance())
                            .getVolumesCount())
                    .isEqualTo(1);
        }
        assertThat(failure(() -> register(other, 3))).hasMessageContaining("cluster.secret-file");
        refused(ErrorCode.UNAUTHENTICATED, () -> other.reportReplicas(report(ReplicaState.CORRUPT)));
        assertThat(stub.listHelpers(ListHelpersRequest.getDefaultInstance()).getHelpersCount())
                .isEqualTo(2);
    }

    @Test
    void parallelWritersOfAPathGetAConflictExceptTheWinner() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<String>> writers = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                writers.add(() -> {
                    try {
                        put("/contested", "");
                        return "won";
                    } catch (StatusRuntimeException e) {
                        return RpcErrors.fromStatus(e, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator")
                                .code()
                                .name();
                    }
                });
            }
            List<String> outcomes = new ArrayList<>();
            for (Future<String> writer : threads.invokeAll(writers)) {
                outcomes.add(writer.get());
            }
            assertThat(outcomes).containsOnlyOnce("won");
            assertThat(outcomes).filteredOn("CONFLICT"::equals).hasSize(23);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void directoryIsListedPageByPage() {
        List<String> expected = new ArrayList<>();
        for (int i = 10; i < 22; i++) {
            put("/dir/f" + i, "");
            expected.add("f" + i);
        }
        List<String> found = new ArrayList<>();
        String token = "";
        do {
            ListResponse page = stub.list(ListRequest.newBuilder()
                    .setVolume("v")
                    .setDirectory("/dir")
                    .setPageToken(token)
                    .setLimit(5)
                    .build());
            assertThat(page.getEntriesCount()).isLessThanOrEqualTo(5);
            page.getEntriesList().forEach(entry -> found.add(entry.getName()));
            token = page.getNextPageToken();
        } while (!token.isEmpty());
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void lateRetryOfARemoveGetsTheSameAnswerOverTheWireAndAfterARestart() throws Exception {
        FileVersion first = put("/a", "");
        RemoveRequest remove = RemoveRequest.newBuilder()
                .setVolume("v")
                .setPath("/a")
                .setCall(call())
                .build();
        assertThat(stub.remove(remove).getRemoved()).isEqualTo(first);
        FileVersion second = put("/a", "");
        assertThat(stub.remove(remove).getRemoved()).isEqualTo(first);
        server.close();
        server = CoordinatorServer.start(config(directory.resolve("data")));
        stub = stub(server);
        assertThat(stub.remove(remove).getRemoved()).isEqualTo(first);
        assertThat(stat("/a")).isEqualTo(second);
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> stub.remove(remove.toBuilder()
                        .setCall(remove.getCall().toBuilder()
                                .setId(UUID.randomUUID().toString())
                                .setIssuedAtMillis(42))
                        .build()));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> stub.remove(remove.toBuilder()
                        .setCall(CallId.newBuilder().setId("no-uuid"))
                        .build()));
    }

    @Test
    void directoryIsRenamedOverTheWireAndOnce() {
        FileVersion version = put("/a/b", "");
        RenameRequest rename = RenameRequest.newBuilder()
                .setVolume("v")
                .setFromPath("/a")
                .setToPath("/c")
                .setCall(call())
                .build();
        assertThat(stub.rename(rename).getMoved())
                .isEqualTo(Entry.newBuilder().setName("c").build());
        assertThat(stat("/c/b")).isEqualTo(version.toBuilder().setPath("/c/b").build());
        assertThat(stub.rename(rename).getMoved().getName()).isEqualTo("c");
        refused(ErrorCode.NOT_FOUND, () -> stat("/a/b"));
        refused(
                ErrorCode.NOT_FOUND,
                () -> stub.rename(rename.toBuilder().setCall(call()).build()));
    }

    @Test
    void directoryIsCreatedFoundAndRemovedOverTheWire() {
        EntriesGrpc.EntriesBlockingStub entries = EntriesGrpc.newBlockingStub(stub.getChannel());
        CreateDirectoryRequest create = CreateDirectoryRequest.newBuilder()
                .setVolume("v")
                .setPath("/a/b")
                .setCall(call())
                .build();
        refused(ErrorCode.NOT_FOUND, () -> entries.createDirectory(create));
        CreateDirectoryResponse unused = entries.createDirectory(
                create.toBuilder().setParents(true).setCall(call()).build());
        GetEntryRequest root =
                GetEntryRequest.newBuilder().setVolume("v").setPath("/").build();
        assertThat(entries.getEntry(root).getStays()).isTrue();
        GetEntryRequest directory = root.toBuilder().setPath("/a/b").build();
        assertThat(entries.getEntry(directory).hasVersion()).isFalse();
        assertThat(entries.getEntry(directory).getStays()).isTrue();
        assertThat(entries.getEntry(directory).getCreatedAtMillis()).isPositive();
        RemoveDirectoryRequest remove = RemoveDirectoryRequest.newBuilder()
                .setVolume("v")
                .setPath("/a")
                .setCall(call())
                .build();
        refused(ErrorCode.NOT_EMPTY, () -> entries.removeDirectory(remove));
        RemoveDirectoryResponse unusedToo = entries.removeDirectory(
                remove.toBuilder().setPath("/a/b").setCall(call()).build());
        refused(ErrorCode.NOT_FOUND, () -> entries.getEntry(directory));
    }

    @Test
    void fileIsCopiedOverTheWireAndOnce() {
        FileVersion version = put("/a", "");
        EntriesGrpc.EntriesBlockingStub entries = EntriesGrpc.newBlockingStub(stub.getChannel());
        CopyFileRequest copy = CopyFileRequest.newBuilder()
                .setVolume("v")
                .setFromPath("/a")
                .setToPath("/b/c")
                .setCall(call())
                .build();
        FileVersion there = version.toBuilder().setPath("/b/c").build();
        assertThat(entries.copyFile(copy).getCopied()).isEqualTo(there);
        assertThat(entries.copyFile(copy).getCopied()).as("the same call").isEqualTo(there);
        assertThat(stat("/b/c")).isEqualTo(there);
        refused(
                ErrorCode.ALREADY_EXISTS,
                () -> entries.copyFile(copy.toBuilder().setCall(call()).build()));
    }

    @Test
    void attributesOfAFileSurviveVersionsAndRestarts() throws Exception {
        FileVersion first = put("/a", "");
        SetAttributesRequest set = SetAttributesRequest.newBuilder()
                .setVolume("v")
                .setPath("/a")
                .setSet(Attributes.newBuilder().putValues("owner", "me"))
                .build();
        assertThat(stub.setAttributes(set).getAttributes()).isEqualTo(set.getSet());
        put("/a", first.getVersionId());
        server.close();
        server = CoordinatorServer.start(config(directory.resolve("data")));
        stub = stub(server);
        StatResponse found =
                stub.stat(StatRequest.newBuilder().setVolume("v").setPath("/a").build());
        assertThat(found.getAttributes()).isEqualTo(set.getSet());
        assertThat(found.getCreatedAtMillis()).isEqualTo(first.getCommittedAtMillis());
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> stub.setAttributes(set.toBuilder().addRemove("owner").build()));
        refused(
                ErrorCode.NOT_FOUND,
                () -> stub.setAttributes(set.toBuilder().setPath("/b").build()));
    }

    @Test
    void removedFileIsNotFound() {
        put("/a", "");
        stub.remove(RemoveRequest.newBuilder().setVolume("v").setPath("/a").build());
        refused(ErrorCode.NOT_FOUND, () -> stat("/a"));
        refused(
                ErrorCode.NOT_FOUND,
                () -> stub.planRead(PlanReadRequest.newBuilder()
                        .setVolume("v")
                        .setPath("/a")
                        .build()));
    }

    @Test
    void malformedRequestsAreInvalidArgumentsNotDefects() {
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.createVolume(CreateVolumeRequest.getDefaultInstance()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.beginPut(BeginPutRequest.getDefaultInstance()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.commitPut(CommitPutRequest.getDefaultInstance()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.getSegment(GetSegmentRequest.getDefaultInstance()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.heartbeat(HeartbeatRequest.getDefaultInstance()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> stub.registerHelper(RegisterHelperRequest.getDefaultInstance()));
    }

    @Test
    void messageBeyondTheLimitIsRefusedAndTheServerContinues() {
        Volume huge = Volume.newBuilder()
                .setName("x".repeat(CoordinatorServer.MAX_MESSAGE_BYTES + 1))
                .build();
        Throwable failure = catchThrowable(() -> stub.createVolume(
                CreateVolumeRequest.newBuilder().setVolume(huge).build()));
        assertThat(failure).isNotNull();
        put("/after", "");
    }

    @Test
    void tooManyOwedCopiesAreRefusedByCodeNotByMessageSize() {
        ReplicaReport longest = ToWire.report(new io.cloudmw.core.model.chunk.ReplicaReport(
                new ChunkId(new VersionId("f".repeat(32)), 0), new StoreId("s".repeat(63)), ReplicaState.OWED));
        CommitPutRequest tooMuch = CommitPutRequest.newBuilder()
                .setVersion(version("/owing"))
                .addAllOwed(Collections.nCopies(WritePlan.MAX_OWED + 1, longest))
                .build();
        CloudMwException failure = failure(() -> stub.commitPut(tooMuch));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET);
        assertThat(failure).hasMessageContaining("100001 copies").hasMessageContaining("expected: <= 100000");
    }

    @Test
    void requestsBeyondTheByteLimitAreOverloadedAndTheServerContinues() throws Exception {
        byte[] most = new byte[CoordinatorServer.MAX_MESSAGE_BYTES - 1000];
        CommitPutRequest large = CommitPutRequest.newBuilder()
                .setVersion(version("/large").toBuilder().setManifestSha256(ByteString.copyFrom(most)))
                .build();
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        List<StreamObserver<CommitPutRequest>> unfinished = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            unfinished.add(withoutEnd(refused));
            unfinished.get(i).onNext(large);
        }
        assertThat(failure(() -> {
                            throw refused.get();
                        })
                        .code())
                .isEqualTo(ErrorCode.OVERLOADED);
        put("/meanwhile", "");

        unfinished.forEach(call -> call.onError(new CancellationException()));
        await().untilAsserted(() -> refused(ErrorCode.INVALID_ARGUMENT, () -> stub.commitPut(large)));
    }

    /** Starts a commit whose request is sent but not completed. */
    private StreamObserver<CommitPutRequest> withoutEnd(CompletableFuture<Throwable> refused) {
        return ClientCalls.asyncClientStreamingCall(
                stub.getChannel()
                        .newCall(
                                CoordinatorGrpc.getCommitPutMethod().toBuilder()
                                        .setType(MethodDescriptor.MethodType.CLIENT_STREAMING)
                                        .build(),
                                CallOptions.DEFAULT),
                new StreamObserver<>() {
                    @Override
                    public void onNext(CommitPutResponse answer) {}

                    @Override
                    public void onError(Throwable failure) {
                        refused.complete(failure);
                    }

                    @Override
                    public void onCompleted() {}
                });
    }

    @Test
    void uploadsWithoutProgressAreAbandonedWhileTheServerRuns() throws Exception {
        Path data = directory.resolve("upkeep");
        try (CoordinatorServer upkept =
                CoordinatorServer.start(config(data, Duration.ofMillis(1), Duration.ofMillis(5)))) {
            CoordinatorBlockingStub itsStub = stub(upkept);
            AtomicInteger index = new AtomicInteger();
            await().untilAsserted(() -> refused(
                    ErrorCode.CONFLICT,
                    () -> itsStub.putSegment(PutSegmentRequest.newBuilder()
                            .setVersionId("0".repeat(32))
                            .setSegmentIndex(index.getAndIncrement())
                            .addChunks(ToWire.chunk(chunk()))
                            .build())));
        }
    }

    private static Chunk chunk() {
        return new Chunk(
                0,
                new ChunkId(new VersionId("0".repeat(32)), 0),
                new ByteRange(0, 1),
                256 << 10,
                new LeafDigests(new int[1], new byte[LeafDigests.SHA256_BYTES]),
                List.of(new StoreId("d1")));
    }

    @Test
    void secondCoordinatorOnTheSameDataIsRefused() {
        CloudMwException failure = catchThrowableOfType(
                CloudMwException.class, () -> CoordinatorServer.start(config(directory.resolve("data"))));
        assertThat(failure.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void addressInUseIsNamedAndNothingIsLeftOpen() throws Exception {
        Path data = directory.resolve("other");
        CoordinatorConfig free = config(data);
        CoordinatorConfig taken = new CoordinatorConfig(
                server.address(),
                free.catalog(),
                free.secretFile(),
                free.options(),
                free.watch(),
                free.callThreads(),
                free.callQueue(),
                free.callBytes(),
                free.http(),
                free.httpToken(),
                free.tls(),
                free.authority(),
                free.audit());
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> CoordinatorServer.start(taken));
        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure).hasMessageContaining(server.address().toString());
        CoordinatorServer.start(free).close();
    }

    @Test
    void secretIsReadableByItsOwnerOnly() throws Exception {
        Path secret = directory.resolve("data/secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
    }

    @Test
    void errorDoesNotEndUpkeep() throws Exception {
        ScheduledExecutorService upkeep = Threads.timer("test");
        AtomicInteger tries = new AtomicInteger();
        try {
            var unused = upkeep.scheduleWithFixedDelay(
                    () -> CoordinatorServer.retireAbandoned(() -> {
                        if (tries.incrementAndGet() == 1) {
                            throw new OutOfMemoryError("on purpose");
                        }
                        return 0;
                    }),
                    1,
                    1,
                    TimeUnit.MILLISECONDS);
            await().until(() -> tries.get() > 1);
        } finally {
            upkeep.shutdownNow();
        }
    }

    @Test
    void uploadIsNotAbandonedWhileItsTokenIsValid() throws Exception {
        Map<String, String> given = Map.of("coordinator.token-ttl", "2h", "coordinator.abandoned-after", "119m");
        CloudMwException failure =
                catchThrowableOfType(CloudMwException.class, () -> CoordinatorConfig.read(Settings.of(given)));
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("coordinator.abandoned-after").hasMessageContaining("7200000 ms");
        assertThat(CoordinatorConfig.read(
                                Settings.of(Map.of("coordinator.token-ttl", "2h", "coordinator.abandoned-after", "2h")))
                        .options()
                        .abandonedAfter())
                .hasHours(2);
    }

    @Test
    void catalogIsAFileOrATable() throws Exception {
        assertThat(CatalogLocation.read(Settings.of(Map.of("coordinator.data-dir", "/data"))))
                .isEqualTo(new CatalogLocation.SqliteFile(Path.of("/data/catalog.db")));
        Map<String, String> table = Map.of(
                "coordinator.catalog", "dynamodb:some-table",
                "coordinator.catalog-region", "eu-west-1",
                "coordinator.catalog-endpoint", "http://127.0.0.1:8000",
                "coordinator.catalog-create", "true");
        assertThat(CatalogLocation.read(Settings.of(table)))
                .isEqualTo(new CatalogLocation.DynamoDbTable(new DynamoDbSettings(
                        "some-table",
                        Optional.of("eu-west-1"),
                        Optional.of(URI.create("http://127.0.0.1:8000")),
                        true)));
        for (Map<String, String> wrong : List.of(
                Map.of("coordinator.catalog", "postgres"),
                Map.of("coordinator.catalog", "dynamodb:a b"),
                Map.of("coordinator.catalog", "dynamodb:abc", "coordinator.catalog-endpoint", "there"),
                Map.of("coordinator.catalog-region", "eu-west-1"))) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> CatalogLocation.read(Settings.of(wrong)));
        }
    }

    @Test
    void leaseMustOutliveTwoHeartbeats() {
        Settings settings = Settings.of(Map.of("coordinator.heartbeat-interval", "2s", "coordinator.helper-ttl", "4s"));
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, () -> CoordinatorConfig.read(settings));
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("coordinator.helper-ttl");
    }

    private static FileVersion version(String path) {
        return FileVersion.newBuilder()
                .setVolume("v")
                .setPath(path)
                .setVersionId(UUID.randomUUID().toString().replace("-", ""))
                .setLeafSizeBytes(256 << 10)
                .setManifestSha256(ByteString.copyFrom(HexFormat.of().parseHex(EMPTY)))
                .build();
    }

    private FileVersion put(String path, String expected) {
        return stub.commitPut(CommitPutRequest.newBuilder()
                        .setVersion(version(path))
                        .setExpectedVersionId(expected)
                        .build())
                .getVersion();
    }

    private FileVersion stat(String path) {
        return stub.stat(StatRequest.newBuilder().setVolume("v").setPath(path).build())
                .getVersion();
    }

    private static RegisterHelperResponse register(CoordinatorBlockingStub stub, int number) {
        return stub.registerHelper(RegisterHelperRequest.newBuilder()
                .setHelper(Helper.newBuilder()
                        .setId("h" + number)
                        .setControlAddress("127.0.0.1:" + (7000 + number))
                        .setBulkAddress("127.0.0.1:" + (8000 + number)))
                .addDisks(Store.newBuilder()
                        .setId("d" + number)
                        .setFailureDomain("rack-" + number)
                        .setDisk(DiskStore.newBuilder().setOwner("h" + number).setPath("/data/d" + number)))
                .build());
    }

    private static ReportReplicasRequest report(ReplicaState state) {
        VersionId version = new VersionId("f".repeat(32));
        return ReportReplicasRequest.newBuilder()
                .setVolume("v")
                .setPath("/f")
                .setVersionId(version.value())
                .addReplicas(ToWire.report(new io.cloudmw.core.model.chunk.ReplicaReport(
                        new ChunkId(version, 0), new StoreId("d1"), state)))
                .build();
    }

    private static HeartbeatRequest heartbeat(RegisterHelperResponse lease) {
        return HeartbeatRequest.newBuilder()
                .setHelperId("h1")
                .setEpoch(lease.getEpoch())
                .build();
    }

    private ManagedChannel channel(CoordinatorServer coordinator) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        coordinator.address().host(), coordinator.port())
                .usePlaintext()
                .build();
        channels.add(channel);
        return channel;
    }

    private CoordinatorBlockingStub stub(CoordinatorServer coordinator) throws CloudMwException {
        return stub(coordinator, directory.resolve("data/secret"));
    }

    private CoordinatorBlockingStub stub(CoordinatorServer coordinator, Path secretFile) throws CloudMwException {
        MemberProofs proofs = new MemberProofs(ClusterSecret.readOrCreate(secretFile), WallClock.system());
        return CoordinatorGrpc.newBlockingStub(channel(coordinator))
                .withInterceptors(VersionHandshake.client(), Membership.client(proofs));
    }

    private static CoordinatorConfig config(Path data) {
        return config(data, Duration.ofDays(7), Duration.ofHours(1));
    }

    private static CoordinatorConfig config(Path data, Duration abandonedAfter, Duration abandonedCheck) {
        return new CoordinatorConfig(
                new HostPort("127.0.0.1", 0),
                CatalogLocation.in(data),
                data.resolve("secret"),
                new CoordinatorOptions(
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(1),
                        Duration.ofHours(1),
                        abandonedAfter,
                        abandonedCheck,
                        Duration.ofHours(1),
                        Duration.ofMinutes(1),
                        2,
                        UpkeepOptions.defaults()),
                WatchOptions.defaults(),
                4,
                64,
                CoordinatorServer.MAX_MESSAGE_BYTES,
                Optional.empty(),
                Optional.empty(),
                TlsOptions.PLAIN,
                new AuthorityOptions(
                        data.resolve("authority"), data.resolve("token"), Optional.empty(), Duration.ofDays(7)),
                new AuditFileOptions(data.resolve("audit.jsonl"), 1 << 20, 1));
    }

    private static CallId call() {
        return CallId.newBuilder()
                .setId(UUID.randomUUID().toString())
                .setIssuedAtMillis(WallClock.system().millis())
                .build();
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        CloudMwException failure = failure(call);
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    }

    /** Returns the error of a call; fails the test when the call succeeds. */
    private static CloudMwException failure(ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).as("a failure was expected").isNotNull();
        return RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "coordinator");
    }
}
