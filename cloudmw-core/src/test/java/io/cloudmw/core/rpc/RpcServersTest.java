package io.cloudmw.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.EnrolmentTrust;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TestAuthority;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.GetVolumeRequest;
import io.cloudmw.proto.v1.GetVolumeResponse;
import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the limits on connections of a control plane's server, and of requests that are no messages. */
final class RpcServersTest {
    private static final int READ_TIMEOUT_MILLIS = 20_000;
    private static final int LONG_SECONDS = 600;

    private final TestAuthority authority = new TestAuthority();
    private final List<Socket> sockets = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private @Nullable Server server;

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        channels.forEach(ManagedChannel::shutdownNow);
        if (server != null) {
            assertThat(server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private static RpcServers.Limits limits(
            int connections, int handshakes, int handshakesOfOneAddress, int handshakeSeconds) {
        return new RpcServers.Limits(
                connections, handshakes, handshakesOfOneAddress, handshakeSeconds, 1, 1, LONG_SECONDS);
    }

    private void start(RpcServers.Limits limits) throws IOException {
        start(limits, new RpcServers.Security(Optional.empty(), TlsCredentials::atServer));
    }

    private void start(RpcServers.Limits limits, RpcServers.Security security) throws IOException {
        server = RpcServers.at(
                        new HostPort("127.0.0.1", 0),
                        security,
                        10,
                        List.of(),
                        new RefusalTrail(Ticker.system()),
                        limits)
                .addService(new CoordinatorGrpc.CoordinatorImplBase() {
                    @Override
                    public void getVolume(GetVolumeRequest request, StreamObserver<GetVolumeResponse> observer) {
                        observer.onNext(GetVolumeResponse.getDefaultInstance());
                        observer.onCompleted();
                    }
                })
                .build()
                .start();
    }

    private void startTls(RpcServers.Limits limits, Function<TlsCredentials, SslContext> context) throws Exception {
        start(
                limits,
                new RpcServers.Security(Optional.of(authority.credentials(ProcessRole.COORDINATOR, "c")), context));
    }

    /** A connection under TLS that shows no certificate and makes no call. */
    private Socket stranger() throws Exception {
        JdkSslContext trusting = (JdkSslContext) EnrolmentTrust.context(Set.of());
        SSLSocket socket = (SSLSocket) trusting.context().getSocketFactory().createSocket("127.0.0.1", port());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        sockets.add(socket);
        socket.startHandshake();
        // Until the preface of HTTP/2 and the first settings, a connection counts as one in its handshake.
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        return socket;
    }

    private ManagedChannel strangerChannel() throws CloudMwException {
        ManagedChannel channel = RpcChannels.toEnrol(
                        HostPorts.parse("127.0.0.1:" + port()), EnrolmentTrust.context(Set.of()))
                .build();
        channels.add(channel);
        return channel;
    }

    private ManagedChannel certifiedChannel() throws CloudMwException {
        ManagedChannel channel = new RpcChannels(Optional.of(authority.credentials(ProcessRole.CLIENT, "app")))
                .toCoordinators(HostPorts.parse("127.0.0.1:" + port()))
                .build();
        channels.add(channel);
        return channel;
    }

    private int port() {
        return Objects.requireNonNull(server).getPort();
    }

    private Socket silent() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        sockets.add(socket);
        return socket;
    }

    /** Reads until the other side closes. */
    private static void awaitClosed(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        try {
            while (in.read() >= 0) {
                // It may say why.
            }
        } catch (SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    /** Waits until the other side closes one of these, whichever it accepted last. Returns the others. */
    private static List<Socket> awaitOneClosed(List<Socket> opened) throws Exception {
        List<Socket> left = new ArrayList<>(opened);
        await().until(() -> left.removeIf(RpcServersTest::isClosed));
        return left;
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(50);
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // It may say why.
            }
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private ManagedChannel channel() {
        ManagedChannel channel = new RpcChannels(Optional.empty())
                .toCoordinators(HostPorts.parse("127.0.0.1:" + port()))
                .build();
        channels.add(channel);
        return channel;
    }

    private static GetVolumeResponse call(ManagedChannel channel) {
        return CoordinatorGrpc.newBlockingStub(channel)
                .withDeadlineAfter(10, TimeUnit.SECONDS)
                .getVolume(GetVolumeRequest.getDefaultInstance());
    }

    @Test
    void oneAddressHasALimitOfConnectionsInTheirHandshake() throws Exception {
        start(limits(100, 10, 2, LONG_SECONDS));
        ManagedChannel before = channel();
        assertThat(call(before)).isNotNull();
        List<Socket> left = awaitOneClosed(List.of(silent(), silent(), silent()));
        assertThat(left).hasSize(2);
        assertThat(call(before)).isNotNull();
        left.get(0).close();
        await().ignoreExceptions().until(() -> call(channel()) != null);
    }

    @Test
    void connectionsHaveALimitInTotal() throws Exception {
        start(limits(2, 10, 10, LONG_SECONDS));
        assertThat(call(channel())).isNotNull();
        List<Socket> left = awaitOneClosed(List.of(silent(), silent()));
        assertThat(left).hasSize(1);
        left.get(0).close();
        await().ignoreExceptions().until(() -> call(channel()) != null);
    }

    @Test
    void silentConnectionIsClosedAfterTheHandshakeTimeout() throws Exception {
        start(limits(100, 10, 10, 1));
        awaitClosed(silent());
    }

    @Test
    void strangersOfOneAddressHaveALimitThatOthersDoNotHave() throws Exception {
        startTls(
                new RpcServers.Limits(100, 10, 10, LONG_SECONDS, 10, 1, LONG_SECONDS),
                TlsCredentials::atServerWithStrangers);
        List<Socket> left = awaitOneClosed(List.of(stranger(), stranger()));
        assertThat(left).hasSize(1);
        assertThat(call(certifiedChannel())).isNotNull();
        assertThat(call(certifiedChannel())).isNotNull();
        left.get(0).close();
        await().ignoreExceptions().until(() -> call(strangerChannel()) != null);
    }

    @Test
    void connectionOfAStrangerIsClosedAfterItsTimeAndThoseOfOthersStay() throws Exception {
        startTls(new RpcServers.Limits(100, 10, 10, LONG_SECONDS, 10, 10, 1), TlsCredentials::atServerWithStrangers);
        ManagedChannel certified = certifiedChannel();
        assertThat(call(certified)).isNotNull();
        awaitClosed(stranger());
        assertThat(certified.getState(false)).isEqualTo(ConnectivityState.READY);
    }

    @Test
    void serverWithoutMethodsForStrangersRefusesThemInTheHandshake() throws Exception {
        startTls(limits(100, 10, 10, LONG_SECONDS), TlsCredentials::atServer);
        assertThat(call(certifiedChannel())).isNotNull();
        ManagedChannel stranger = strangerChannel();
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, () -> call(stranger));
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void requestThatIsNoMessageIsAnInvalidArgument() throws Exception {
        start(limits(100, 10, 10, LONG_SECONDS));
        ManagedChannel channel = channel();
        MethodDescriptor<byte[], GetVolumeResponse> raw = CoordinatorGrpc.getGetVolumeMethod().toBuilder(
                        new Bytes(), CoordinatorGrpc.getGetVolumeMethod().getResponseMarshaller())
                .build();

        StatusRuntimeException failure = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel, raw, CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS), new byte[] {-1, -1
                        }));

        CloudMwException known = RpcErrors.fromStatus(failure, ErrorCode.COORDINATOR_UNAVAILABLE, "server");
        assertThat(known.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(known).hasMessageContaining("GetVolume");
        assertThat(call(channel)).isNotNull();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
