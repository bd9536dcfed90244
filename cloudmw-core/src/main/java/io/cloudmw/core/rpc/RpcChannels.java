package io.cloudmw.core.rpc;

import io.cloudmw.core.config.HostPorts;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;

/**
 * The factory of the control plane's channels: the only place that decides how a process connects to another. Channels
 * are plain text, carry the version handshake and go to the process directly, as the bulk plane does: a proxy of the JVM
 * or of the environment is not asked. Stateless; safe for any thread.
 */
public final class RpcChannels {
    private RpcChannels() {}

    /**
     * A builder of a channel to one process, which connects at the first call. The caller sets its executor and limits,
     * and shuts the channel down.
     *
     * @param address {@code host:port} or {@code [ipv6]:port}
     */
    public static ManagedChannelBuilder<?> to(String address) {
        return builder(ChannelTarget.of(address));
    }

    /** A builder of a channel to several processes with the same role; otherwise like {@link #to(String)}. */
    public static ManagedChannelBuilder<?> to(HostPorts addresses) {
        return builder(ChannelTarget.of(addresses));
    }

    private static ManagedChannelBuilder<?> builder(String target) {
        return NettyChannelBuilder.forTarget(target)
                .usePlaintext()
                .proxyDetector(address -> null)
                .intercept(VersionHandshake.client());
    }
}
