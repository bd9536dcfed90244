package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.bulk.Loopback.Certificates;
import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.core.tls.TlsMaterial;
import io.netty.channel.epoll.Epoll;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of bulk connections under TLS: bytes arrive, and peers without a right certificate do not. */
class TlsBulkTest {
    private static final int FRAME = 256 << 10;
    private static final byte[] BYTES = Payloads.random(3, 9 * FRAME + 5);

    private final TestAuthority authority = new TestAuthority();

    private TlsCredentials helper(String id) throws Exception {
        return authority.credentials(ProcessRole.HELPER, id);
    }

    private TlsCredentials client() throws Exception {
        return authority.credentials(ProcessRole.CLIENT, "app");
    }

    private static Loopback net(TlsCredentials server, TlsCredentials client, BulkHandler handler) throws Exception {
        return net(Optional.of(server), Optional.of(client), Epoll.isAvailable(), handler);
    }

    private static Loopback net(
            Optional<TlsCredentials> server, Optional<TlsCredentials> client, boolean epoll, BulkHandler handler)
            throws Exception {
        BulkOptions options = BulkOptions.defaults().withTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(30));
        return new Loopback(options, options, epoll, new Certificates(server, client), handler);
    }

    @ParameterizedTest
    @CsvSource({"true,false", "true,true", "false,false", "false,true"})
    void bytesArriveAndBothSidesKnowEachOther(boolean epoll, boolean interactive) throws Exception {
        SendingHandler sending = new SendingHandler(BYTES, FRAME);
        CompletableFuture<BulkConnection> accepted = new CompletableFuture<>();
        BulkHandler handler = new BulkHandler() {
            @Override
            public BulkStreamListener opened(BulkStream stream, byte[] request) {
                return sending.opened(stream, request);
            }

            @Override
            public void connected(BulkConnection connection) {
                accepted.complete(connection);
            }
        };
        try (Loopback net =
                net(Optional.of(helper("server")), Optional.of(client()), epoll && Epoll.isAvailable(), handler)) {
            BulkConnector connector = interactive ? net.connector.interactive() : net.connector;
            BulkConnection connection = connector
                    .connect(net.address(), new SendingHandler(BYTES, FRAME))
                    .get(10, TimeUnit.SECONDS);

            assertThat(RecordingListener.read(connection, BYTES.length)).isEqualTo(BYTES);
            assertThat(RecordingListener.read(accepted.get(10, TimeUnit.SECONDS), BYTES.length))
                    .isEqualTo(BYTES);
            assertThat(connection.peerIdentity())
                    .contains(new ProcessIdentity(TestAuthority.CLUSTER, ProcessRole.HELPER, "server"));
            assertThat(accepted.join().peerIdentity())
                    .contains(new ProcessIdentity(TestAuthority.CLUSTER, ProcessRole.CLIENT, "app"));
        }
    }

    @Test
    void plainTextConnectionHasNoCertificate() throws Exception {
        try (Loopback net = net(Optional.empty(), Optional.empty(), true, new SendingHandler(BYTES, FRAME))) {
            assertThat(net.connect().peerIdentity()).isEmpty();
        }
    }

    @Test
    void serverWithAnotherRoleIsRefused() throws Exception {
        try (Loopback net = net(client(), client(), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net)).hasMessageContaining("client app").hasMessageContaining("expected: helper");
        }
    }

    @Test
    void clientServesOnlyThoseWhoWantAClient() throws Exception {
        try (Loopback net = net(client(), client(), new SendingHandler(BYTES, FRAME))) {
            BulkConnection connection = net.connector
                    .toClients()
                    .connect(net.address(), new SendingHandler(BYTES, FRAME))
                    .get(10, TimeUnit.SECONDS);

            assertThat(RecordingListener.read(connection, BYTES.length)).isEqualTo(BYTES);
        }
    }

    @Test
    void certificateOfAnotherAuthorityIsRefusedByEitherSide() throws Exception {
        TlsCredentials foreign = new TestAuthority().credentials(ProcessRole.HELPER, "server");
        try (Loopback net = net(foreign, client(), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net))
                    .hasMessage(
                            "connection: TLS: the certificate of the other side is of an authority that this process"
                                    + " does not trust");
        }
        TlsMaterial both = new TlsMaterial(
                new TestAuthority()
                        .credentials(ProcessRole.CLIENT, "x")
                        .material()
                        .own(),
                List.of(authority.certificate()));
        try (Loopback net = net(helper("server"), new TlsCredentials(both), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net))
                    .hasMessage("connection: TLS: the other side refused this process: it does not trust the authority"
                            + " of its certificate");
        }
    }

    @Test
    void certificateOfAnotherClusterIsRefused() throws Exception {
        TlsMaterial other =
                authority.material(new ProcessIdentity("other", ProcessRole.HELPER, "server"), Duration.ofHours(1));
        try (Loopback net = net(new TlsCredentials(other), client(), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net)).hasMessageContaining("cluster other").hasMessageContaining("cluster test");
        }
    }

    @Test
    void expiredCertificateIsRefused() throws Exception {
        TestAuthority past = new TestAuthority(
                () -> System.currentTimeMillis() - Duration.ofDays(2).toMillis());
        TlsMaterial expired =
                past.material(new ProcessIdentity("test", ProcessRole.HELPER, "server"), Duration.ofHours(1));
        TlsMaterial trusting = new TlsMaterial(client().material().own(), List.of(past.certificate()));
        try (Loopback net =
                net(new TlsCredentials(expired), new TlsCredentials(trusting), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net)).hasMessage("connection: TLS: the certificate of the other side has expired");
        }
    }

    @Test
    void helperThatClaimsAnotherIdIsRefused() throws Exception {
        try (Loopback net = net(helper("h9"), client(), new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net)).hasMessageContaining("greeting of server").hasMessageContaining("h9");
            assertThat(net.clientMeters
                            .find(BulkMetrics.VIOLATIONS)
                            .tag(BulkMetrics.KIND, BulkViolation.WRONG_IDENTITY.tag())
                            .counter())
                    .isNotNull();
        }
    }

    @Test
    void clientThatGreetsByAnotherNameIsRefused() throws Exception {
        CompletableFuture<CloudMwException> recorded = new CompletableFuture<>();
        BulkHandler handler = new BulkHandler() {
            @Override
            public BulkStreamListener opened(BulkStream stream, byte[] request) {
                throw new AssertionError("a stream of a client that was refused");
            }

            @Override
            public void refused(AuditedPeer peer, CloudMwException why) {
                recorded.complete(why);
            }
        };
        try (Loopback net = net(helper("server"), client(), handler)) {
            ExecutionException failure = catchThrowableOfType(
                    ExecutionException.class,
                    () -> new BulkConnector(net.clientTransport, "admin")
                            .connect(net.address(), handler)
                            .get(10, TimeUnit.SECONDS));
            CloudMwException refusal = (CloudMwException) Objects.requireNonNull(failure.getCause());
            assertThat(refusal.code()).isEqualTo(ErrorCode.TLS_FAILED);
            assertThat(refusal)
                    .hasMessageEndingWith("wrong-identity: greeting of admin (expected: app, as in its certificate)");
            assertThat(recorded.get(10, TimeUnit.SECONDS))
                    .hasMessage("wrong-identity: greeting of admin (expected: app, as in its certificate)");
            assertThat(net.violations(BulkViolation.WRONG_IDENTITY)).isEqualTo(1);
        }
    }

    @Test
    void connectorToAHelperRefusesEveryOther() throws Exception {
        SendingHandler sending = new SendingHandler(BYTES, FRAME);
        try (Loopback net = net(helper("server"), client(), sending)) {
            BulkConnection right =
                    net.connector.to("server").connect(net.address(), sending).get(10, TimeUnit.SECONDS);
            assertThat(RecordingListener.read(right, BYTES.length)).isEqualTo(BYTES);

            for (BulkConnector to :
                    List.of(net.connector.to("h7"), net.connector.to("h7").interactive())) {
                ExecutionException failure = catchThrowableOfType(
                        ExecutionException.class,
                        () -> to.connect(net.address(), sending).get(10, TimeUnit.SECONDS));
                CloudMwException refusal = (CloudMwException) Objects.requireNonNull(failure.getCause());
                assertThat(refusal.code()).isEqualTo(ErrorCode.TLS_FAILED);
                assertThat(refusal)
                        .hasMessage("wrong-identity: certificate of helper server (expected: that of h7, to which this"
                                + " process connects)");
            }
        }
    }

    @Test
    void processWithoutACertificateIsRefusedUntilItHasOne() throws Exception {
        TlsCredentials pending = TlsCredentials.pending();
        try (Loopback net = net(helper("server"), pending, new SendingHandler(BYTES, FRAME))) {
            CloudMwException refusal = refusal(net);
            assertThat(refusal.code()).isEqualTo(ErrorCode.TLS_FAILED);

            pending.replace(client().material());

            assertThat(RecordingListener.read(net.connect(), BYTES.length)).isEqualTo(BYTES);
        }
    }

    @Test
    void newMaterialTakesEffectWithTheNextConnectionAndOpenOnesStay() throws Exception {
        TlsCredentials server = helper("server");
        TestAuthority next = new TestAuthority();
        try (Loopback net = net(server, client(), new SendingHandler(BYTES, FRAME))) {
            BulkConnection open = net.connect();
            server.replace(next.credentials(ProcessRole.HELPER, "server").material());

            assertThat(RecordingListener.read(open, BYTES.length)).isEqualTo(BYTES);
            assertThat(refusal(net).code()).isIn(ErrorCode.TLS_FAILED, ErrorCode.HELPER_UNAVAILABLE);
        }
    }

    @Test
    void plainTextToTlsAndTlsToPlainTextAreRefused() throws Exception {
        try (Loopback net =
                net(Optional.of(helper("server")), Optional.empty(), true, new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net).code()).isIn(ErrorCode.HELPER_UNAVAILABLE, ErrorCode.PROTOCOL_VIOLATION);
        }
        try (Loopback net = net(Optional.empty(), Optional.of(client()), true, new SendingHandler(BYTES, FRAME))) {
            assertThat(refusal(net)).hasMessageContaining("plain text");
        }
    }

    @Test
    void connectionWithoutAHandshakeIsClosedInTime() throws Exception {
        BulkOptions hasty = BulkOptions.defaults().withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(30));
        try (Loopback net = new Loopback(
                        hasty,
                        hasty,
                        true,
                        new Certificates(Optional.of(helper("server")), Optional.of(client())),
                        new SendingHandler(BYTES, FRAME));
                Socket silent =
                        new Socket(net.address().getAddress(), net.address().getPort())) {
            silent.setSoTimeout(10_000);
            InputStream in = silent.getInputStream();
            while (in.read() >= 0) {
                // What the server says before it closes.
            }
        }
    }

    private static CloudMwException refusal(Loopback net) {
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, net::connect);
        return (CloudMwException) Objects.requireNonNull(failure.getCause());
    }
}
