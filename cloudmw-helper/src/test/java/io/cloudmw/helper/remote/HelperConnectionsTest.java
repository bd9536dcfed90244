package io.cloudmw.helper.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateAuthority;
import io.cloudmw.core.tls.CertifiedKey;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.SigningRequest;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsMaterial;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HelperConnectionsTest {
    private static final BulkHandler REFUSING = (stream, request) -> {
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "not here");
    };

    private final BulkTransport transport =
            new BulkTransport("test", 1, BulkOptions.defaults(), Optional.empty(), new SimpleMeterRegistry());
    private final List<BulkServer> servers = new ArrayList<>();
    private final HelperConnections connections =
            new HelperConnections(new BulkConnector(transport, "h"), 2, Ticker.system(), Duration.ZERO);

    @AfterEach
    void stop() {
        connections.close();
        servers.forEach(BulkServer::close);
        transport.close();
    }

    private HelperAddress helper(int number) throws Exception {
        BulkServer server = BulkServer.bind(
                transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "p" + number, REFUSING);
        servers.add(server);
        return address(number, server.port());
    }

    private static HelperAddress address(int number, int port) {
        return new HelperAddress(new HelperId("p" + number), "127.0.0.1:1", "127.0.0.1:" + port);
    }

    @Test
    void connectionIsSharedAndReopenedAfterItsEnd() throws Exception {
        HelperAddress helper = helper(1);
        BulkConnection first;
        try (HelperConnections.Lease one = connections.to(helper);
                HelperConnections.Lease other = connections.to(helper)) {
            first = one.connection();
            assertThat(other.connection()).isSameAs(first);
        }
        first.close();
        await().until(first::isClosed);
        try (HelperConnections.Lease again = connections.to(helper)) {
            assertThat(again.connection()).isNotSameAs(first);
        }
    }

    @Test
    void oldConnectionIsReplacedAndStaysOpenForItsLeases() throws Exception {
        CertificateAuthority authority = CertificateAuthority.create(WallClock.system());
        KeyPair key = SigningRequest.newKey();
        ProcessIdentity p1 = new ProcessIdentity("test", ProcessRole.HELPER, "p1");
        TlsMaterial material = new TlsMaterial(
                Optional.of(new CertifiedKey(
                        key.getPrivate(), authority.certify(key.getPublic(), p1, Duration.ofHours(1)))),
                List.of(authority.certificate()));
        TlsCredentials tls = new TlsCredentials(material, Duration.ofMillis(200));
        try (BulkTransport encrypted = new BulkTransport(
                        "tls", 1, BulkOptions.defaults(), Optional.of(tls), new SimpleMeterRegistry());
                BulkServer server = BulkServer.bind(
                        encrypted, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "p1", REFUSING);
                HelperConnections aging =
                        new HelperConnections(new BulkConnector(encrypted, "p1"), 2, Ticker.system(), Duration.ZERO)) {
            HelperAddress helper = address(1, server.port());
            HelperConnections.Lease first = aging.to(helper);
            await().until(first.connection()::isOld);
            HelperConnections.Lease second = aging.to(helper);
            assertThat(second.connection()).isNotSameAs(first.connection());
            second.close();
            await().until(second.connection()::isClosed);
            assertThat(first.connection().isClosed()).isFalse();
            first.close();
            await().until(first.connection()::isClosed);
        }
    }

    @Test
    void longestIdleConnectionIsClosedBeyondTheLimit() throws Exception {
        HelperConnections.Lease used = connections.to(helper(1));
        BulkConnection idle;
        try (HelperConnections.Lease lease = connections.to(helper(2))) {
            idle = lease.connection();
        }
        HelperConnections.Lease third = connections.to(helper(3));
        await().until(idle::isClosed);
        assertThat(used.connection().isClosed()).isFalse();
        HelperAddress fourth = helper(4);
        assertThatThrownBy(() -> connections.to(fourth))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED))
                .hasMessageContaining("2 connections are in use already");
        third.close();
        third.close();
        try (HelperConnections.Lease lease = connections.to(fourth)) {
            await().until(third.connection()::isClosed);
            assertThat(lease.connection().isClosed()).isFalse();
        }
        used.close();
    }

    /** A server starts at the address after the first try, and is found after the pause. */
    @Test
    void unreachableHelperIsNotTriedAgainDuringThePause() throws Exception {
        FakeTicker ticker = new FakeTicker();
        try (HelperConnections patient =
                new HelperConnections(new BulkConnector(transport, "h"), 2, ticker, Duration.ofSeconds(3))) {
            int free;
            try (ServerSocket socket = new ServerSocket(0)) {
                free = socket.getLocalPort();
            }
            HelperAddress helper = address(9, free);
            patient.check(helper);
            assertThatThrownBy(() -> patient.to(helper)).isInstanceOf(CloudMwException.class);
            servers.add(BulkServer.bind(
                    transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), free), "p9", REFUSING));
            ticker.advance(Duration.ofSeconds(3).minusNanos(1));
            assertThatThrownBy(() -> patient.to(helper)).isInstanceOf(CloudMwException.class);
            assertThatThrownBy(() -> patient.check(helper)).hasMessageContaining("cannot connect");
            ticker.advance(Duration.ofNanos(1));
            patient.check(helper);
            try (HelperConnections.Lease lease = patient.to(helper)) {
                assertThat(lease.connection().isClosed()).isFalse();
            }
        }
    }

    /** The server accepts one connection, which is taken; then a server with room replaces it. */
    @Test
    void overloadedHelperIsTriedAgainSoon() throws Exception {
        FakeTicker ticker = new FakeTicker();
        BulkOptions one = BulkOptions.defaults().withMaxConnections(1);
        try (BulkTransport narrow = new BulkTransport("narrow", 1, one, Optional.empty(), new SimpleMeterRegistry());
                HelperConnections patient =
                        new HelperConnections(new BulkConnector(transport, "h"), 2, ticker, Duration.ofSeconds(3))) {
            BulkServer full =
                    BulkServer.bind(narrow, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "p9", REFUSING);
            HelperAddress helper = address(9, full.port());
            connections.to(helper).close();
            assertThatThrownBy(() -> patient.to(helper)).hasMessageContaining("more than 1 connections");
            full.close();
            InetSocketAddress place = new InetSocketAddress(InetAddress.getLoopbackAddress(), full.port());
            await().ignoreExceptions().until(() -> servers.add(BulkServer.bind(transport, place, "p9", REFUSING)));
            ticker.advance(Duration.ofMillis(200).minusNanos(1));
            assertThatThrownBy(() -> patient.check(helper)).hasMessageContaining("cannot connect");
            ticker.advance(Duration.ofNanos(1));
            patient.check(helper);
            try (HelperConnections.Lease lease = patient.to(helper)) {
                assertThat(lease.connection().isClosed()).isFalse();
            }
        }
    }

    @Test
    void unreachableHelperFailsTheLeaseAndTakesNoRoom() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> connections.to(address(9, free)))
                    .isInstanceOfSatisfying(
                            CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE));
        }
        connections.to(helper(1)).close();
    }

    @Test
    void connectionThatOpensAfterTheCloseIsClosed() throws Exception {
        HelperAddress real = helper(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<HelperConnections.Lease> waiting =
                    threads.submit(() -> connections.to(address(1, slow.getLocalPort())));
            try (Socket here = slow.accept();
                    Socket there = new Socket(
                            InetAddress.getLoopbackAddress(),
                            HostPort.parse(real.bulk()).port())) {
                connections.close();
                assertThatThrownBy(() -> connections.to(real)).hasMessageContaining("closing");
                assertThat(waiting.isDone()).isFalse();
                var unusedOut = threads.submit(() -> here.getInputStream().transferTo(there.getOutputStream()));
                var unusedIn = threads.submit(() -> there.getInputStream().transferTo(here.getOutputStream()));
                await().until(waiting.get().connection()::isClosed);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void leaseFailsWhenTheHelperDisconnectsDuringTheHandshake() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<HelperConnections.Lease> waiting =
                    thread.submit(() -> connections.to(address(1, mute.getLocalPort())));
            Socket accepted = mute.accept();
            assertThat(waiting.isDone()).isFalse();
            accepted.close();
            assertThatThrownBy(waiting::get).hasMessageContaining("cannot connect");
        } finally {
            thread.shutdownNow();
        }
    }
}
