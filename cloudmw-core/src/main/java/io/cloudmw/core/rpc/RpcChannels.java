package io.cloudmw.core.rpc;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.Set;

/**
 * The factory of the control plane's channels: the only place that decides how a process connects to another. Channels
 * carry the version handshake and go to the process directly, as the bulk plane does: a proxy of the JVM or of the
 * environment is not asked. Under TLS they connect only to processes with the expected role. Safe for any thread.
 */
public final class RpcChannels {
    private final Optional<TlsCredentials> tls;

    /** @param tls the certificates of its connections; empty: plain text */
    public RpcChannels(Optional<TlsCredentials> tls) {
        this.tls = tls;
    }

    /**
     * A builder of a channel to one helper, which connects at the first call. The caller sets its executor and limits,
     * and shuts the channel down.
     *
     * @param address {@code host:port} or {@code [ipv6]:port}
     */
    public ManagedChannelBuilder<?> toHelper(String address) {
        return builder(ChannelTarget.of(address), context(ProcessRole.HELPER));
    }

    /**
     * A builder of a channel to one helper as {@link #toHelper(String)}. Under TLS calls fail with {@code TLS_FAILED} when
     * another process is at its address.
     */
    public ManagedChannelBuilder<?> toHelper(HelperAddress helper) {
        ManagedChannelBuilder<?> channel = toHelper(helper.control());
        return tls.isPresent()
                ? channel.intercept(new ExpectedHelper(helper.id().value()))
                : channel;
    }

    /** A builder of a channel to one of these coordinators; otherwise like {@link #toHelper(String)}. */
    public ManagedChannelBuilder<?> toCoordinators(HostPorts addresses) {
        return builder(ChannelTarget.of(addresses), context(ProcessRole.COORDINATOR));
    }

    /** A builder of a channel on which a process enrols, with the trust that this context has. */
    static ManagedChannelBuilder<?> toEnrol(HostPorts addresses, SslContext trust) {
        return builder(ChannelTarget.of(addresses), Optional.of(trust));
    }

    private Optional<SslContext> context(ProcessRole peer) {
        return tls.map(credentials -> credentials.toServers(Set.of(peer)));
    }

    private static ManagedChannelBuilder<?> builder(String target, Optional<SslContext> context) {
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget(target)
                .proxyDetector(address -> null)
                .intercept(VersionHandshake.client());
        return context.isPresent() ? builder.sslContext(context.get()) : builder.usePlaintext();
    }
}
