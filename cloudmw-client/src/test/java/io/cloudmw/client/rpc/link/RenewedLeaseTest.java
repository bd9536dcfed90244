package io.cloudmw.client.rpc.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.ClientRpcChannels;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RenewedLeaseTest {
    private static final Duration AGE = Duration.ofMillis(200);

    private final TestAuthority authority = new TestAuthority();
    private final ScheduledExecutorService timer = Threads.timer("test");
    private BulkTransport serving;
    private BulkServer server;
    private HelperLinks links;
    private HelperAddress helper;
    private RenewedLease lease;

    @BeforeEach
    void start() throws Exception {
        serving = transport("test-server", ProcessRole.HELPER, "h", AGE);
        server = BulkServer.bind(
                serving,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "h",
                (stream, request) -> new Answer(stream));
        helper = address(server.port());
        links = new HelperLinks(
                transport("test-client", ProcessRole.CLIENT, "app", Duration.ofHours(1)),
                to -> ClientRpcChannels.open(to, ClientCertificates.none(), timer),
                timer,
                1);
        lease = RenewedLease.of(links, helper);
    }

    @AfterEach
    void stop() {
        lease.close();
        links.close();
        serving.close();
        timer.shutdownNow();
    }

    private BulkTransport transport(String name, ProcessRole role, String id, Duration age) throws Exception {
        TlsCredentials credentials = new TlsCredentials(
                authority.material(new ProcessIdentity(TestAuthority.CLUSTER, role, id), Duration.ofHours(1)), age);
        return new BulkTransport(name, 1, BulkOptions.defaults(), Optional.of(credentials), new SimpleMeterRegistry());
    }

    private static HelperAddress address(int port) {
        return new HelperAddress(new HelperId("h"), "127.0.0.1:1", "127.0.0.1:" + port);
    }

    private BulkConnection connection() throws Exception {
        return lease.connection().get(20, TimeUnit.SECONDS);
    }

    @Test
    void streamsBeginOnAnotherConnectionWhenOneIsOld() throws Exception {
        BulkConnection first = connection();
        Trailer late = new Trailer();
        BulkStream underWay = first.open(new byte[] {1}, late);
        await().until(first::isOld);

        BulkConnection second = connection();
        assertThat(second).isNotSameAs(first);
        Trailer early = new Trailer();
        second.open(new byte[] {1}, early).end("early".getBytes(UTF_8));
        assertThat(early.received.get(20, TimeUnit.SECONDS)).isEqualTo("early");

        underWay.end("late".getBytes(UTF_8));
        assertThat(late.received.get(20, TimeUnit.SECONDS)).isEqualTo("late");
        await().until(first::isClosed);
    }

    @Test
    void streamsBeginOnAnotherConnectionWhenOneIsClosed() throws Exception {
        BulkConnection first = connection();
        first.close();
        await().until(first::isClosed);
        BulkConnection second = connection();
        assertThat(second).isNotSameAs(first);
        assertThat(second.isClosed()).isFalse();
    }

    @Test
    void helperThatCannotBeReachedFailsTheConnection() throws Exception {
        BulkConnection first = connection();
        server.close();
        first.close();
        await().until(first::isClosed);
        assertThatThrownBy(this::connection).hasCauseInstanceOf(CloudMwException.class);
    }

    /** The helper's end of a stream: it sends the trailer back. */
    private record Answer(BulkStream stream) implements BulkStreamListener {
        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void granted() {}

        @Override
        public void ended(byte[] trailer) {
            stream.end(trailer);
        }

        @Override
        public void failed(CloudMwException cause) {}
    }

    /** The client's end of a stream. */
    private static final class Trailer implements BulkStreamListener {
        final CompletableFuture<String> received = new CompletableFuture<>();

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void granted() {}

        @Override
        public void ended(byte[] trailer) {
            received.complete(new String(trailer, UTF_8));
        }

        @Override
        public void failed(CloudMwException cause) {
            received.completeExceptionally(cause);
        }
    }
}
