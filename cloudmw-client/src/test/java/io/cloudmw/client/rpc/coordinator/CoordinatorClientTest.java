package io.cloudmw.client.rpc.coordinator;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.CoordinatorTimes;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.RemoveRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client of several coordinators. */
final class CoordinatorClientTest {
    private static final FilePath LONG = FilePath.parse("vol:/terabyte");

    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() throws Exception {
        // Wait for the last answers to closed clients, or the buffers that hold them leak.
        owner.submit(() -> {}).get(20, SECONDS);
        owner.shutdownNow();
    }

    @Test
    void deadCoordinatorIsLeftAndAskedAgainWhenBack() throws Exception {
        try (FakeCoordinator first = new FakeCoordinator(1 << 20, 256 << 10);
                FakeCoordinator second = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client(first.address() + "," + second.address())) {
            for (int i = 0; i < 3; i++) {
                first.stop();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                first.start();
                second.stop();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
                second.start();
            }
        }
    }

    /** The process is stopped: its machine accepts the connection, and nobody answers. */
    @Test
    void coordinatorSilentFromTheStartIsNotAsked() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client("127.0.0.1:" + silent.getLocalPort() + "," + coordinator.address())) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.stores().get(60, SECONDS)).isEmpty();
            }
        }
    }

    /** A try may take two of the four seconds of a call. */
    @Test
    void coordinatorThatFallsSilentIsLeftInTimeForAnother() throws Exception {
        try (FakeCoordinator first = new FakeCoordinator(1 << 20, 256 << 10);
                Wire wire = new Wire(first.address());
                FakeCoordinator second = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client(wire.address() + "," + second.address(), Duration.ofSeconds(4))) {
            second.stop();
            assertThat(client.stores().get(60, SECONDS)).isEmpty();
            second.start();
            wire.fallSilent();
            assertThat(client.stores().get(60, SECONDS)).isEmpty();
        }
    }

    @Test
    void unresolvableCoordinatorIsPassedOver() throws Exception {
        try (FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client("no-such-host.invalid:7400," + coordinator.address())) {
            assertThat(client.stores().get(60, SECONDS)).isEmpty();
        }
    }

    @Test
    void triesOfOneCallShareItsId() throws Exception {
        try (FakeCoordinator coordinator = new FakeCoordinator(1 << 20, 256 << 10);
                CoordinatorClient client = client(coordinator.address())) {
            coordinator.refuse("Remove", ErrorCode.OVERLOADED, 2);
            for (int call = 0; call < 2; call++) {
                assertThat(client.remove(FilePath.parse("v:/none"), false)
                                .handle((removed, failure) -> failure != null)
                                .get(60, SECONDS))
                        .isTrue();
            }
            List<CallId> names =
                    coordinator.removals().stream().map(RemoveRequest::getCall).toList();
            assertThat(names).hasSize(4);
            assertThat(names.subList(0, 3)).containsOnly(names.get(0));
            assertThat(names.get(0).getId())
                    .isNotEmpty()
                    .isNotEqualTo(names.get(3).getId());
        }
    }

    /** Some calls are answered, some pending, some unsent: each one ends. */
    @Test
    void closedClientFailsPendingCalls() throws Exception {
        try (FakeCoordinator coordinator = withALongFile()) {
            List<CompletableFuture<?>> calls = new ArrayList<>();
            try (CoordinatorClient client = client(coordinator.address())) {
                callOften(client, calls);
            }
            for (CompletableFuture<?> call : calls) {
                assertThat(call.handle((answer, failure) -> failure == null ? "answered" : codeOf(failure))
                                .get(60, SECONDS))
                        .isIn("answered", "CANCELLED");
            }
        }
    }

    /** The executor may be shut down then; an answer that it refused would leak. */
    @Test
    void closedClientNoLongerUsesItsExecutor() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        AtomicInteger tooLate = new AtomicInteger();
        Executor watched = task -> {
            tooLate.addAndGet(closed.get() ? 1 : 0);
            owner.execute(task);
        };
        try (FakeCoordinator coordinator = withALongFile()) {
            CoordinatorClient client = new CoordinatorClient(
                    coordinator.address(),
                    ClientCertificates.none(),
                    CoordinatorTimes.of(Duration.ofSeconds(30)),
                    watched,
                    owner,
                    Ticker.system(),
                    waiting -> {});
            callOften(client, new ArrayList<>());
            client.close();
            closed.set(true);
        }
        // The coordinator has seen the connection end: pending answers came before.
        assertThat(tooLate).hasValue(0);
    }

    /** No server listens there; the first message comes after two seconds. */
    @Test
    void coordinatorThatNeverAnsweredTimesOutAsConfigured() throws Exception {
        CompletableFuture<String> said = new CompletableFuture<>();
        CoordinatorTimes times =
                new CoordinatorTimes(Duration.ofSeconds(70), Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (CoordinatorClient client = new CoordinatorClient(
                "127.0.0.1:1", ClientCertificates.none(), times, owner, owner, Ticker.system(), said::complete)) {
            var unused = client.volumes();
            assertThat(said.get(60, SECONDS)).endsWith("for at most 60 s");
        }
    }

    /** No server listens there. */
    @Test
    void refusedConnectionFailsAfterItsOwnTime() {
        CoordinatorTimes times = new CoordinatorTimes(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(300));
        try (CoordinatorClient client = new CoordinatorClient(
                "127.0.0.1:1", ClientCertificates.none(), times, owner, owner, Ticker.system(), waiting -> {})) {
            assertThat(client.volumes())
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableThat()
                    .withMessageContaining("connection refused");
        }
    }

    /** The coordinator answered once, and is away for longer than refused connections may last at first. */
    @Test
    void coordinatorThatAnsweredIsWaitedForAlthoughItRefusesConnections() throws Exception {
        CoordinatorTimes times = new CoordinatorTimes(Duration.ofHours(1), Duration.ofHours(1), Duration.ofMillis(1));
        CompletableFuture<String> said = new CompletableFuture<>();
        FakeCoordinator coordinator = withALongFile();
        try (CoordinatorClient client = new CoordinatorClient(
                coordinator.address(),
                ClientCertificates.none(),
                times,
                owner,
                owner,
                Ticker.system(),
                said::complete)) {
            client.volumes().get(60, SECONDS);
            coordinator.close();
            CompletableFuture<?> waiting = client.volumes();
            assertThat(said.get(60, SECONDS)).endsWith("for at most 3600 s");
            assertThat(waiting).isNotDone();
        }
    }

    private static FakeCoordinator withALongFile() throws IOException {
        FakeCoordinator coordinator = new FakeCoordinator(8 << 20, 256 << 10);
        coordinator.add(new Store(new StoreId("s"), "s", new Store.Disk(new HelperId("h"), Path.of("/nowhere"))));
        coordinator.synthesize(LONG, 1L << 40);
        return coordinator;
    }

    /** Makes more calls than are answered at once, and waits for some answers. */
    private static void callOften(CoordinatorClient client, List<CompletableFuture<?>> calls) throws Exception {
        ReadPlan plan = client.planRead(LONG, Optional.empty(), Optional.empty(), Location.NONE)
                .get(60, SECONDS);
        for (int segment = 0; segment < 40; segment++) {
            calls.add(client.segment(plan, segment));
        }
        calls.get(0).get(60, SECONDS);
    }

    private static String codeOf(Throwable failure) {
        return Reasons.unwrapped(failure) instanceof CloudMwException known
                ? known.code().name()
                : failure.toString();
    }

    private CoordinatorClient client(String addresses) {
        return client(addresses, Duration.ofSeconds(30));
    }

    private CoordinatorClient client(String addresses, Duration timeout) {
        return new CoordinatorClient(
                addresses,
                ClientCertificates.none(),
                CoordinatorTimes.of(timeout),
                owner,
                owner,
                Ticker.system(),
                waiting -> {});
    }

    /**
     * A proxy that forwards bytes until it falls silent, like a stopped process whose machine still accepts
     * connections.
     */
    private static final class Wire implements AutoCloseable {
        private final ServerSocket taken = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final List<Socket> open = new CopyOnWriteArrayList<>();
        private final HostPort to;
        private volatile boolean silent;

        Wire(String to) throws IOException {
            this.to = HostPort.parse(to);
            threads.execute(() -> quietly(this::take));
        }

        String address() {
            return "127.0.0.1:" + taken.getLocalPort();
        }

        void fallSilent() {
            silent = true;
        }

        private void take() throws IOException {
            while (!silent) {
                Socket from = taken.accept();
                open.add(from);
                Socket on = new Socket(to.host(), to.port());
                open.add(on);
                threads.execute(() -> quietly(() -> pass(from, on)));
                threads.execute(() -> quietly(() -> pass(on, from)));
            }
        }

        private void pass(Socket from, Socket on) throws IOException {
            byte[] bytes = new byte[1 << 12];
            for (int count = from.getInputStream().read(bytes);
                    count >= 0 && !silent;
                    count = from.getInputStream().read(bytes)) {
                on.getOutputStream().write(bytes, 0, count);
            }
        }

        private interface Io {
            void run() throws IOException;
        }

        private static void quietly(Io io) {
            try {
                io.run();
            } catch (IOException e) {
                // The test closed the socket.
            }
        }

        @Override
        public void close() throws IOException {
            taken.close();
            for (Socket socket : open) {
                socket.close();
            }
            threads.shutdownNow();
        }
    }
}
