package io.cloudmw.core.rpc;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The factory of the control plane's servers: the only place that decides how a process listens for calls. Servers
 * check the version handshake, and close connections of silent callers. Stateless; safe for any thread.
 */
public final class RpcServers {
    private RpcServers() {}

    /**
     * A builder of a server with a direct executor: services whose work blocks use {@link UnaryCalls}. The caller adds
     * services, starts the server and shuts it down.
     *
     * @param listen port 0 for any free one
     * @param tls the certificates of its connections; empty: plain text
     * @param maxCallsPerConnection calls that one connection may have at once
     * @param guards interceptors that run after the handshake; those added to the builder run before it
     */
    public static ServerBuilder<?> at(
            HostPort listen, Optional<TlsCredentials> tls, int maxCallsPerConnection, List<ServerInterceptor> guards) {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(listen.host(), listen.port()))
                .directExecutor()
                .maxConcurrentCallsPerConnection(maxCallsPerConnection)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS);
        tls.ifPresent(credentials -> builder.sslContext(credentials.atServer()));
        guards.forEach(builder::intercept);
        return builder.intercept(VersionHandshake.server());
    }
}
