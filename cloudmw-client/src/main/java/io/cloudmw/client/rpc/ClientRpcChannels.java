package io.cloudmw.client.rpc;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.UserAgent;
import io.cloudmw.core.time.Ticker;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The settings of every gRPC channel of the client: certificates, handshake, and keep-alive pings that notice a silent
 * server.
 */
public final class ClientRpcChannels {
    /** A manifest segment is the longest answer. */
    private static final int MAX_MESSAGE_BYTES = 16 << 20;

    private static final long END_MILLIS = 1000;

    private ClientRpcChannels() {}

    /** Opens a channel to one helper. */
    public static ManagedChannel open(HelperAddress helper, ClientCertificates certificates, Executor executor) {
        return limited(new RpcChannels(certificates.tls()).toHelper(helper), executor)
                .build();
    }

    /** Opens a channel to all coordinators. Calls go round robin to those that answer. */
    public static ManagedChannel openAll(HostPorts coordinators, ClientCertificates certificates, Executor executor) {
        return limited(new RpcChannels(certificates.tls()).toCoordinators(coordinators), executor)
                .disableServiceConfigLookUp()
                .defaultLoadBalancingPolicy("round_robin")
                .build();
    }

    /**
     * Waits, at most a second in all, until channels that were shut down no longer need their executor. An executor
     * that refuses an answer leaves its call without an end and leaks the call's memory. Not for event loops.
     */
    public static void awaitEnd(Collection<ManagedChannel> closed) {
        try {
            Ticker ticker = Ticker.system();
            long untilNanos = ticker.nanos() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
            for (ManagedChannel channel : closed) {
                boolean unused = channel.awaitTermination(untilNanos - ticker.nanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ManagedChannelBuilder<?> limited(ManagedChannelBuilder<?> channel, Executor executor) {
        return channel.userAgent(UserAgent.of("cloudmw"))
                .executor(executor)
                .offloadExecutor(executor)
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .disableRetry();
    }
}
