package io.cloudmw.client.rpc;

import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.ChannelTarget;
import io.cloudmw.core.wire.ClientName;
import io.cloudmw.core.wire.Handshake;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** How every channel of the client is set up: plain text, handshake, and pings that notice a silent peer. */
public final class Channels {
    /** A manifest segment is the longest answer. */
    private static final int MAX_MESSAGE_BYTES = 16 << 20;

    private static final long END_MILLIS = 1000;

    private Channels() {}

    /** To one process. */
    public static ManagedChannel open(String address, Executor executor) {
        return builder(ChannelTarget.of(address), executor).build();
    }

    /** To all coordinators there are: calls go to those that answer, in turn. */
    public static ManagedChannel openAll(HostPorts coordinators, Executor executor) {
        return builder(ChannelTarget.of(coordinators), executor)
                .disableServiceConfigLookUp()
                .defaultLoadBalancingPolicy("round_robin")
                .build();
    }

    /**
     * Waits until these, which were shut down, need their executor no more, a second at most for all of them. An executor
     * that refuses an answer leaves its call without an end, and the memory that holds it is lost. Not for event loops.
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

    private static NettyChannelBuilder builder(String target, Executor executor) {
        return NettyChannelBuilder.forTarget(target)
                .usePlaintext()
                .userAgent(ClientName.of("cloudmw"))
                .intercept(Handshake.client())
                .executor(executor)
                .offloadExecutor(executor)
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .disableRetry();
    }
}
