package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.testing.TestPorts;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.helper.config.DiskConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.cloudmw.proto.v1.ReportReplicasRequest;
import io.cloudmw.proto.v1.ReportReplicasResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a helper's registration with a coordinator that forgets it, refuses it and stops. */
final class RegistrationTest {
    private static final HelperAddress SELF = new HelperAddress(new HelperId("h"), "127.0.0.1:1", "127.0.0.1:2");

    private final FakeCoordinator coordinator = new FakeCoordinator();
    private final SpeedMonitor speeds =
            new SpeedMonitor(Ticker.system(), 8, new MonitorMetrics(new SimpleMeterRegistry()));
    private final HelperActivity activity = new HelperActivity(3, 5, 4, 1, 0, 100, 10, HedgeCounts.NONE);
    private Server server;
    private CoordinatorCalls calls;
    private Registration registration;

    @BeforeEach
    void start() throws IOException {
        server = serve(TestPorts.free());
        calls = calls(WallClock.system());
        registration =
                new Registration(calls, SELF, List.of(), BucketWatch.none(), speeds, () -> activity, new Random(1));
    }

    @AfterEach
    void stop() {
        registration.close();
        calls.close();
        server.shutdownNow();
    }

    private CoordinatorCalls calls(WallClock clock) {
        return calls(server.getPort(), clock);
    }

    private static CoordinatorCalls calls(int port, WallClock clock) {
        return new CoordinatorCalls(
                HostPorts.of(new HostPort("127.0.0.1", port)),
                new RpcChannels(Optional.empty()),
                new MemberProofs(ClusterSecret.of(new byte[32]), clock));
    }

    private Server serve(int port) throws IOException {
        return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .directExecutor()
                .intercept(VersionHandshake.server())
                .addService(coordinator)
                .build()
                .start();
    }

    @Test
    void helperRegistersThenRenewsItsLease() throws CloudMwException {
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        await().until(() -> coordinator.heartbeats.size() >= 2);
        assertThat(coordinator.heartbeats).containsOnly(1L);
    }

    /** By default a channel waits a second and more between two tries, which is thousands of calls here. */
    @Test
    void callsResolveTheNameOfAnUnreachableCoordinatorAgain() throws Exception {
        int tries = 20;
        CoordinatorCalls.Lease held = new CoordinatorCalls.Lease(1, 1000, "", List.of());
        AtomicInteger connections = new AtomicInteger();
        try (ServerSocket nobody = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
                CoordinatorCalls lonely = calls(nobody.getLocalPort(), WallClock.system())) {
            new Thread(() -> refuse(nobody, connections), "nobody").start();
            for (int call = 0; call < 10_000 && connections.get() < tries; call++) {
                assertThatThrownBy(() -> lonely.heartbeat(SELF, held, List.of(), Map.of(), Map.of(), activity))
                        .isInstanceOf(CloudMwException.class);
            }
            assertThat(connections).hasValueGreaterThanOrEqualTo(tries);
        }
    }

    private static void refuse(ServerSocket nobody, AtomicInteger connections) {
        while (!nobody.isClosed()) {
            try {
                nobody.accept().close();
                connections.incrementAndGet();
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    void helperRegistersAgainWhenTheCoordinatorDoesNotKnowIt() throws CloudMwException {
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        coordinator.epoch = 2;
        await().until(() -> coordinator.heartbeats.contains(2L));
        assertThat(coordinator.registrations).hasSize(2);
    }

    @Test
    void restartedCoordinatorGetsARegistration() throws Exception {
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        int port = server.getPort();
        server.shutdownNow().awaitTermination();
        int before = coordinator.heartbeats.size();
        server = serve(port);
        await().atMost(30, TimeUnit.SECONDS).until(() -> coordinator.heartbeats.size() > before);
    }

    @Test
    void speedsAreReportedOnceAndAgainOnRequest() throws CloudMwException {
        speeds.read(new StoreId("s"), 100).ended();
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        await().until(() -> coordinator.heartbeats.size() >= 3);
        assertThat(coordinator.speeds).containsExactly("s");
        assertThat(coordinator.activities)
                .allSatisfy(told -> assertThat(told.getWins()).isEqualTo(4));

        coordinator.epoch = 2;
        await().until(() -> coordinator.speeds.size() == 2);
    }

    @Test
    void errorDoesNotEndTheHeartbeats() throws CloudMwException {
        AtomicInteger asked = new AtomicInteger();
        registration.close();
        registration = new Registration(
                calls,
                SELF,
                List.of(),
                BucketWatch.none(),
                speeds,
                () -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("on purpose");
                    }
                    return activity;
                },
                new Random(1));
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        await().until(() -> coordinator.heartbeats.size() >= 2);
    }

    @Test
    void refusalFailsTheRegistration() throws CloudMwException {
        for (ErrorCode code : List.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNAUTHENTICATED)) {
            coordinator.refusal = new CloudMwException(code, "such a helper");
            try (Registration refused = new Registration(
                    calls, SELF, List.of(), BucketWatch.none(), speeds, () -> activity, new Random(1))) {
                assertThat(refused.start())
                        .failsWithin(30, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .withMessageContaining("such a helper");
            }
        }
    }

    @Test
    void helperThatWasRefusedAtFirstIsAcceptedLater() throws CloudMwException {
        coordinator.refusal = new CloudMwException(ErrorCode.ALREADY_EXISTS, "another process has the id");
        assertThat(registration.start()).failsWithin(30, TimeUnit.SECONDS);
        assertThat(registration.accepted()).isNotDone();
        coordinator.refusal = new CloudMwException(ErrorCode.INTERNAL, "none");
        assertThat(registration.accepted()).succeedsWithin(30, TimeUnit.SECONDS);
    }

    @Test
    void helperWithALostDiskServesItsOtherDisks(@TempDir Path directory) throws CloudMwException {
        coordinator.lostDisks = List.of("d2");
        List<DiskConfig> configs = Stream.of("d1", "d2")
                .map(id -> new DiskConfig(new StoreId(id), directory.resolve(id), id, 0, Optional.empty(), false))
                .toList();
        try (OwnDisks disks = DiskOpener.open(SELF.id(), configs, DiskOpener.throttling(), new SimpleMeterRegistry());
                Registration mixed = new Registration(
                        calls, SELF, disks.all(), BucketWatch.none(), speeds, () -> activity, new Random(1))) {
            assertThat(mixed.start()).succeedsWithin(30, TimeUnit.SECONDS);
            await().until(() -> !coordinator.heartbeats.isEmpty());
            assertThat(mixed.lostDisks()).containsExactly(new StoreId("d2"));
            assertThat(coordinator.disks).contains("d1").doesNotContain("d2");
        }
        assertThat(directory.resolve("d1").resolve("cloudmw-store")).exists();
        assertThat(directory.resolve("d2").resolve("cloudmw-store"))
                .as("a lost disk gets no identity")
                .doesNotExist();
    }

    @Test
    void helperKeepsItsIncarnationAndGivesItsLeaseBack() throws CloudMwException {
        assertThat(registration.start()).succeedsWithin(30, TimeUnit.SECONDS);
        coordinator.epoch = 2;
        await().until(() -> coordinator.heartbeats.contains(2L));
        try (Registration other =
                new Registration(calls, SELF, List.of(), BucketWatch.none(), speeds, () -> activity, new Random(1))) {
            assertThat(other.start()).succeedsWithin(30, TimeUnit.SECONDS);
        }
        assertThat(coordinator.incarnations).hasSize(3);
        assertThat(coordinator.incarnations.get(1)).isEqualTo(coordinator.incarnations.get(0));
        assertThat(coordinator.incarnations.get(2)).isNotEqualTo(coordinator.incarnations.get(0));
        assertThat(coordinator.left).containsExactly(2L);
        registration.close();
        assertThat(coordinator.left).containsExactly(2L, 2L);
    }

    @Test
    void refusedHelperRetriesUntilTheOtherLeaseEnds() throws CloudMwException {
        coordinator.refusal = new CloudMwException(ErrorCode.COORDINATOR_UNAVAILABLE, "a lease has to end first");
        CompletableFuture<Void> registered = registration.start();
        await().until(() -> coordinator.refused.get() >= 2);
        assertThat(registered).isNotDone();
        coordinator.refusal = new CloudMwException(ErrorCode.INTERNAL, "none");
        assertThat(registered).succeedsWithin(30, TimeUnit.SECONDS);
    }

    @Test
    void reportsAreRetriedAndDroppedBeyondTheLimit() {
        coordinator.reportsToFail = 2;
        VersionId version = VersionId.random();
        TransferClaims claims =
                new TransferClaims(Set.of(TransferRight.READ), FilePath.parse("v:/f"), version, Long.MAX_VALUE);
        ReplicaReport report = new ReplicaReport(new ChunkId(version, 0), new StoreId("s"), ReplicaState.CORRUPT);
        try (ReplicaReportSender reports = new ReplicaReportSender(calls, 1)) {
            reports.report(claims, report);
            reports.report(claims, report);
            await().until(() -> coordinator.reports.size() == 3);
            assertThat(coordinator.reports).allSatisfy(request -> {
                assertThat(request.getPath()).isEqualTo("/f");
                assertThat(request.getReplicasCount()).isEqualTo(1);
            });
        }
    }

    @Test
    void errorFreesThePlaceOfAReport() {
        VersionId version = VersionId.random();
        TransferClaims claims =
                new TransferClaims(Set.of(TransferRight.READ), FilePath.parse("v:/f"), version, Long.MAX_VALUE);
        ReplicaReport report = new ReplicaReport(new ChunkId(version, 0), new StoreId("s"), ReplicaState.CORRUPT);
        WallClock broken = () -> {
            throw new OutOfMemoryError("on purpose");
        };
        AtomicBoolean breaks = new AtomicBoolean(true);
        WallClock clock = () ->
                breaks.getAndSet(false) ? broken.millis() : WallClock.system().millis();
        try (CoordinatorCalls breaking = calls(clock);
                ReplicaReportSender reports = new ReplicaReportSender(breaking, 1)) {
            reports.report(claims, report);
            await().until(() -> {
                reports.report(claims, report);
                return !coordinator.reports.isEmpty();
            });
        }
    }

    /** The coordinator, which answers on gRPC's threads. */
    private static final class FakeCoordinator extends CoordinatorGrpc.CoordinatorImplBase {
        private final List<Long> incarnations = new CopyOnWriteArrayList<>();
        private final List<Long> left = new CopyOnWriteArrayList<>();
        private final AtomicInteger refused = new AtomicInteger();
        private final List<String> registrations = new CopyOnWriteArrayList<>();
        private final List<Long> heartbeats = new CopyOnWriteArrayList<>();
        private final List<String> speeds = new CopyOnWriteArrayList<>();
        private final List<io.cloudmw.proto.v1.HelperActivity> activities = new CopyOnWriteArrayList<>();
        private final List<ReportReplicasRequest> reports = new CopyOnWriteArrayList<>();
        private volatile long epoch = 1;
        private volatile CloudMwException refusal = new CloudMwException(ErrorCode.INTERNAL, "none");
        private volatile int reportsToFail;
        private final List<String> disks = new CopyOnWriteArrayList<>();
        private volatile List<String> lostDisks = List.of();

        @Override
        public void registerHelper(RegisterHelperRequest request, StreamObserver<RegisterHelperResponse> answer) {
            if (refusal.code() != ErrorCode.INTERNAL) {
                refused.incrementAndGet();
                answer.onError(RpcErrors.toStatus(refusal));
                return;
            }
            registrations.add(request.getHelper().getId());
            incarnations.add(request.getIncarnation());
            answer.onNext(RegisterHelperResponse.newBuilder()
                    .setEpoch(epoch)
                    .setHeartbeatIntervalMillis(50)
                    .addAllLostDiskIds(lostDisks)
                    .build());
            answer.onCompleted();
        }

        @Override
        public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> answer) {
            if (request.getEpoch() != epoch) {
                answer.onError(RpcErrors.toStatus(new CloudMwException(ErrorCode.HELPER_UNKNOWN, "who?")));
                return;
            }
            if (request.getLeaving()) {
                left.add(request.getEpoch());
                answer.onNext(HeartbeatResponse.getDefaultInstance());
                answer.onCompleted();
                return;
            }
            request.getSpeedsList().forEach(speed -> speeds.add(speed.getStoreId()));
            request.getDisksList().forEach(disk -> disks.add(disk.getStoreId()));
            activities.add(request.getActivity());
            heartbeats.add(request.getEpoch());
            answer.onNext(HeartbeatResponse.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void reportReplicas(ReportReplicasRequest request, StreamObserver<ReportReplicasResponse> answer) {
            reports.add(request);
            if (reports.size() <= reportsToFail) {
                answer.onError(RpcErrors.toStatus(new CloudMwException(ErrorCode.COORDINATOR_UNAVAILABLE, "not now")));
                return;
            }
            answer.onNext(ReportReplicasResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
