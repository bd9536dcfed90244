package io.cloudmw.core.rpc;

import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.BindableService;
import io.grpc.ForwardingServerBuilder;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The factory of the control plane's servers: the only place that decides how a process listens for calls. Servers
 * check the version handshake, answer requests that are no messages, limit what connections cost before and after their
 * handshake, and close connections of silent callers. Under TLS a connection that has reached its age takes no new calls:
 * the channel connects again. Stateless; safe for any thread.
 */
public final class RpcServers {
    /** Connections of one server. */
    static final int MAX_CONNECTIONS = 4096;

    /** Connections of one server whose handshake has not ended. */
    static final int MAX_HANDSHAKES = 1024;

    /** The part of them from one address. */
    static final int MAX_HANDSHAKES_OF_ONE_ADDRESS = 512;

    static final int HANDSHAKE_SECONDS = 10;

    /** Connections of one server whose peer has no certificate. */
    static final int MAX_STRANGERS = MAX_CONNECTIONS / 4;

    /** The part of them from one address. */
    static final int MAX_STRANGERS_OF_ONE_ADDRESS = MAX_CONNECTIONS / 16;

    /** The time of such a connection. */
    static final int STRANGER_SECONDS = 30;

    /** A connection without a call is closed after this time; its channel connects again for the next call. */
    static final int IDLE_MINUTES = 10;

    /** Under TLS, how long calls may go on over a connection that has reached its age. */
    static final int AGE_GRACE_MINUTES = 10;

    /** The headers of one call. */
    static final int MAX_HEADER_BYTES = 16 << 10;

    /** Calls that a caller may cancel on one connection within {@link #CANCELLED_SECONDS}. */
    static final int MAX_CANCELLED = 10_000;

    static final int CANCELLED_SECONDS = 30;

    private static final Limits LIMITS = new Limits(
            MAX_CONNECTIONS,
            MAX_HANDSHAKES,
            MAX_HANDSHAKES_OF_ONE_ADDRESS,
            HANDSHAKE_SECONDS,
            MAX_STRANGERS,
            MAX_STRANGERS_OF_ONE_ADDRESS,
            STRANGER_SECONDS);

    private RpcServers() {}

    /**
     * A builder of a server with a direct executor: services whose work blocks use {@link UnaryCalls}. The caller adds
     * services, starts the server and shuts it down. Under TLS every caller needs a certificate, or its handshake fails.
     *
     * @param listen port 0 for any free one
     * @param tls the certificates of its connections; empty: plain text
     * @param maxCallsPerConnection calls that one connection may have at once
     * @param guards interceptors that run after the handshake; those added to the builder run before it
     * @param refusals has the TLS handshakes that fail
     */
    public static ServerBuilder<?> at(
            HostPort listen,
            Optional<TlsCredentials> tls,
            int maxCallsPerConnection,
            List<ServerInterceptor> guards,
            RefusalTrail refusals) {
        return at(listen, new Security(tls, TlsCredentials::atServer), maxCallsPerConnection, guards, refusals, LIMITS);
    }

    /**
     * A builder of a server that also has methods for callers without a certificate; otherwise like {@link #at}. A guard
     * refuses them the others: {@link CallerIdentity}.
     */
    public static ServerBuilder<?> atWithStrangers(
            HostPort listen,
            Optional<TlsCredentials> tls,
            int maxCallsPerConnection,
            List<ServerInterceptor> guards,
            RefusalTrail refusals) {
        return at(
                listen,
                new Security(tls, TlsCredentials::atServerWithStrangers),
                maxCallsPerConnection,
                guards,
                refusals,
                LIMITS);
    }

    /** The limits on connections, as numbers of connections and seconds; strangers have no certificate. */
    record Limits(
            int connections,
            int handshakes,
            int handshakesOfOneAddress,
            int handshakeSeconds,
            int strangers,
            int strangersOfOneAddress,
            int strangerSeconds) {}

    /**
     * The certificates of a server.
     *
     * @param tls empty: plain text
     * @param context of its connections
     */
    record Security(Optional<TlsCredentials> tls, Function<TlsCredentials, SslContext> context) {}

    static ServerBuilder<?> at(
            HostPort listen,
            Security security,
            int maxCallsPerConnection,
            List<ServerInterceptor> guards,
            RefusalTrail refusals,
            Limits limits) {
        Optional<TlsCredentials> tls = security.tls();
        ConnectionLimits connections = new ConnectionLimits(
                tls.map(security.context())
                        .map(InternalProtocolNegotiators::serverTls)
                        .orElseGet(InternalProtocolNegotiators::serverPlaintext),
                limits,
                refusals);
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(listen.host(), listen.port()))
                .directExecutor()
                .protocolNegotiator(connections)
                .handshakeTimeout(limits.handshakeSeconds(), TimeUnit.SECONDS)
                .maxConnectionIdle(IDLE_MINUTES, TimeUnit.MINUTES)
                .maxInboundMetadataSize(MAX_HEADER_BYTES)
                .maxRstFramesPerWindow(MAX_CANCELLED, CANCELLED_SECONDS)
                .maxConcurrentCallsPerConnection(maxCallsPerConnection)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .addTransportFilter(connections);
        tls.ifPresent(credentials -> builder.maxConnectionAge(
                        credentials.connectionAge().toNanos(), TimeUnit.NANOSECONDS)
                .maxConnectionAgeGrace(AGE_GRACE_MINUTES, TimeUnit.MINUTES));
        guards.forEach(builder::intercept);
        return new CheckingBuilder(builder.intercept(VersionHandshake.server()));
    }

    /** A builder whose services all check their requests. */
    private static final class CheckingBuilder extends ForwardingServerBuilder<CheckingBuilder> {
        private final ServerBuilder<?> builder;

        CheckingBuilder(ServerBuilder<?> builder) {
            this.builder = builder;
        }

        @Override
        protected ServerBuilder<?> delegate() {
            return builder;
        }

        @Override
        public CheckingBuilder addService(ServerServiceDefinition service) {
            return super.addService(CheckedRequests.of(service));
        }

        @Override
        public CheckingBuilder addService(BindableService service) {
            return addService(service.bindService());
        }
    }
}
