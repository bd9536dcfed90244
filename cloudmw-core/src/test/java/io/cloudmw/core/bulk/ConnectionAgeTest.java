package io.cloudmw.core.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.Loopback.Certificates;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of connections that reach their age: they are replaced, and nothing under way ends. */
final class ConnectionAgeTest {
    private static final int FRAME = 64 << 10;
    private static final byte[] BYTES = Payloads.random(3, 3 * FRAME + 5);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofHours(1);

    private final TestAuthority authority = new TestAuthority();
    private final SendingHandler sending = new SendingHandler(BYTES, FRAME);
    private Loopback net;

    @BeforeEach
    void connectWithShortLivedConnections() throws Exception {
        net = net(SHORT, LONG);
    }

    @AfterEach
    void close() {
        net.close();
    }

    private Loopback net(Duration server, Duration client) throws Exception {
        return net(server, client, sending);
    }

    private Loopback net(Duration server, Duration client, BulkHandler handler) throws Exception {
        return new Loopback(
                BulkOptions.defaults(),
                BulkOptions.defaults(),
                Epoll.isAvailable(),
                new Certificates(
                        Optional.of(credentials(ProcessRole.HELPER, "server", server)),
                        Optional.of(credentials(ProcessRole.CLIENT, "app", client))),
                handler);
    }

    private TlsCredentials credentials(ProcessRole role, String id, Duration age) throws Exception {
        return new TlsCredentials(
                authority.material(new ProcessIdentity(TestAuthority.CLUSTER, role, id), Duration.ofHours(1)), age);
    }

    /** The server's age counts where it is the smaller one: it is in its greeting. */
    @Test
    void readsGoOnWhileConnectionsAreReplaced() throws Exception {
        List<BulkConnection> opened = new ArrayList<>(List.of(net.connect()));
        while (opened.size() < 4) {
            BulkConnection current = opened.get(opened.size() - 1);
            assertThat(RecordingListener.read(current, BYTES.length)).isEqualTo(BYTES);
            if (current.isOld()) {
                opened.add(net.connect());
            }
        }
        for (BulkConnection replaced : opened.subList(0, 3)) {
            await().until(replaced::isClosed);
        }
    }

    @Test
    void ownAgeCountsWhereItIsTheSmallerOne() throws Exception {
        try (Loopback other = net(LONG, SHORT)) {
            BulkConnection connection = other.connect();
            await().until(connection::isOld);
            await().until(connection::isClosed);
        }
    }

    @Test
    void streamOnAnOldConnectionIsNotCut() throws Exception {
        BulkConnection used = net.connect();
        BulkConnection unused = net.connect();
        RecordingListener received = new RecordingListener();
        BulkStream stream = used.open("read".getBytes(UTF_8), received);
        stream.end(new byte[0]);
        await().until(unused::isClosed);

        stream.grant(BYTES.length);
        received.awaitEnd();

        assertThat(received.content()).isEqualTo(BYTES);
        await().until(used::isClosed);
    }

    /** The server's connections live long: it does not refuse what the client goes on with. */
    @Test
    void oldConnectionThatIsHeldStaysOpenAndTakesStreams() throws Exception {
        try (Loopback other = net(LONG, SHORT)) {
            BulkConnection held = other.connect();
            held.hold();
            BulkConnection unused = other.connect();
            await().until(unused::isClosed);

            assertThat(held.isOld()).isTrue();
            assertThat(RecordingListener.read(held, BYTES.length)).isEqualTo(BYTES);

            held.release();
            await().until(held::isClosed);
        }
    }

    @Test
    void acceptingSideRefusesNewStreamsOnAnOldConnectionAndLetsOthersEnd() throws Exception {
        CompletableFuture<BulkConnection> accepted = new CompletableFuture<>();
        BulkHandler announcing = new BulkHandler() {
            @Override
            public BulkStreamListener opened(BulkStream stream, byte[] request) {
                return sending.opened(stream, request);
            }

            @Override
            public void connected(BulkConnection connection) {
                accepted.complete(connection);
            }
        };
        try (Loopback other = net(LONG, LONG, announcing)) {
            BulkConnection connection = other.connect();
            RecordingListener running = new RecordingListener();
            BulkStream stream = connection.open("read".getBytes(UTF_8), running);
            stream.end(new byte[0]);
            await().until(() -> sending.opened() == 1);
            Multiplexer there = (Multiplexer) accepted.get(20, TimeUnit.SECONDS);
            long streams = there.openedStreams();
            there.becomeOld();

            RecordingListener late = new RecordingListener();
            BulkStream refused = connection.open("read".getBytes(UTF_8), late);
            refused.end(new byte[0]);
            assertThat(late.awaitFailure().code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE);
            assertThat(sending.opened()).isEqualTo(1);
            assertThat(there.isUnused()).isFalse();

            stream.grant(BYTES.length);
            running.awaitEnd();
            assertThat(running.content()).isEqualTo(BYTES);
            await().until(there::isUnused);
            assertThat(there.openedStreams()).isEqualTo(streams);
            assertThat(other.violations()).isZero();
        }
    }

    @Test
    void plainTextConnectionHasNoAge() {
        assertThat(ConnectionAge.connecting(Optional.empty(), 5, 0.5).age()).isEmpty();
        assertThat(ConnectionAge.accepting(Optional.empty()).age()).isEmpty();
    }

    @Test
    void acceptingSideWaitsLongerThanTheConnectingSide() {
        assertThat(ConnectionAge.connecting(Optional.of(LONG), LONG.toMillis(), 0)
                        .age())
                .contains(LONG);
        assertThat(ConnectionAge.connecting(Optional.of(LONG), 0, 1).age()).contains(Duration.ofMinutes(54));
        assertThat(ConnectionAge.accepting(Optional.of(LONG)).age()).contains(Duration.ofMinutes(75));
        assertThat(ConnectionAge.accepting(Optional.of(SHORT)).age()).contains(SHORT.plusSeconds(10));
    }
}
