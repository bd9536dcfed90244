package io.cloudmw.helper.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.reach.BucketWatch;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.HeartbeatResponse;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.RegisterHelperResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of a helper with three coordinators, which share their state. */
final class SeveralCoordinatorsTest {
    private static final HelperAddress SELF = new HelperAddress(new HelperId("h1"), "127.0.0.1:1", "127.0.0.1:2");

    private final AtomicInteger registrations = new AtomicInteger();
    private final List<One> coordinators = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 3; i++) {
            coordinators.add(new One());
        }
    }

    @AfterEach
    void stop() {
        coordinators.forEach(one -> one.server.shutdownNow());
    }

    @Test
    void helperKeepsItsLeaseAtAnotherCoordinatorWhenTheFirstDies() throws Exception {
        try (CoordinatorCalls calls = calls(addresses());
                Registration registration = registration(calls)) {
            assertThat(registration.start()).succeedsWithin(60, TimeUnit.SECONDS);
            for (int alive = 3; alive > 1; alive--) {
                await().until(() -> coordinators.stream().anyMatch(one -> one.heartbeats.get() > 2));
                One its = coordinators.stream()
                        .filter(one -> one.heartbeats.get() > 2)
                        .findFirst()
                        .orElseThrow();
                its.server.shutdownNow();
                coordinators.remove(its);
            }
            await().until(() -> coordinators.get(0).heartbeats.get() > 2);
            assertThat(registrations).hasValue(1);
        }
    }

    /** The address of a suspended process: the machine accepts the connection, and no one answers. */
    @Test
    void helperLeavesASilentCoordinator() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            List<HostPort> addresses = new ArrayList<>(addresses().all().subList(0, 1));
            addresses.add(new HostPort("127.0.0.1", silent.getLocalPort()));
            for (int i = 0; i < 3; i++) {
                try (CoordinatorCalls calls = calls(new HostPorts(addresses));
                        Registration registration = registration(calls)) {
                    assertThat(registration.start()).succeedsWithin(2, TimeUnit.MINUTES);
                }
            }
        }
    }

    @Test
    void coordinatorWithAnUnknownNameIsSkipped() throws Exception {
        List<HostPort> addresses = new ArrayList<>(addresses().all().subList(0, 1));
        addresses.add(0, new HostPort("no-such-host.invalid", 7400));
        try (CoordinatorCalls calls = calls(new HostPorts(addresses));
                Registration registration = registration(calls)) {
            assertThat(registration.start()).succeedsWithin(60, TimeUnit.SECONDS);
        }
    }

    private HostPorts addresses() {
        return new HostPorts(coordinators.stream()
                .map(one -> new HostPort("127.0.0.1", one.server.getPort()))
                .toList());
    }

    private static CoordinatorCalls calls(HostPorts addresses) {
        return new CoordinatorCalls(
                addresses,
                new RpcChannels(Optional.empty()),
                new MemberProofs(ClusterSecret.of(new byte[32]), WallClock.system()));
    }

    private static Registration registration(CoordinatorCalls calls) {
        SpeedMonitor speeds = new SpeedMonitor(Ticker.system(), 8, new MonitorMetrics(new SimpleMeterRegistry()));
        HelperActivity activity = new HelperActivity(3, 5, 4, 1, 0, 100, 10, HedgeCounts.NONE);
        return new Registration(calls, SELF, List.of(), BucketWatch.none(), speeds, () -> activity, new Random(1));
    }

    /** A coordinator that knows every helper of the others. */
    private final class One extends CoordinatorGrpc.CoordinatorImplBase {
        private final AtomicInteger heartbeats = new AtomicInteger();
        private final Server server;

        One() throws IOException {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .directExecutor()
                    .intercept(VersionHandshake.server())
                    .addService(this)
                    .build()
                    .start();
        }

        @Override
        public void registerHelper(RegisterHelperRequest request, StreamObserver<RegisterHelperResponse> answer) {
            registrations.incrementAndGet();
            answer.onNext(RegisterHelperResponse.newBuilder()
                    .setEpoch(1)
                    .setHeartbeatIntervalMillis(50)
                    .build());
            answer.onCompleted();
        }

        @Override
        public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> answer) {
            heartbeats.incrementAndGet();
            answer.onNext(HeartbeatResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
