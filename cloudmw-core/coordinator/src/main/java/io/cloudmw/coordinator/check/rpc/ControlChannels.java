package io.cloudmw.coordinator.check.rpc;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.ChannelTarget;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.MemberProofs;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connections of a coordinator to the control addresses of helpers, one for each question: questions are rare. Every call
 * proves that this process knows the cluster's secret. Safe for any thread.
 */
public final class ControlChannels implements AutoCloseable {
    private final MemberProofs proofs;
    private final Set<ManagedChannel> open = ConcurrentHashMap.newKeySet();

    /** @param proofs shows that this process knows the cluster's secret */
    public ControlChannels(MemberProofs proofs) {
        this.proofs = proofs;
    }

    /** A connection, which connects when it is first used. Closing it ends calls under way. */
    record Lease(ManagedChannel managed, Set<ManagedChannel> open) implements AutoCloseable {
        Channel channel() {
            return managed;
        }

        @Override
        public void close() {
            managed.shutdownNow();
            open.remove(managed);
        }
    }

    Lease to(HelperAddress helper) {
        ManagedChannel channel = NettyChannelBuilder.forTarget(ChannelTarget.of(helper.control()))
                .usePlaintext()
                .disableServiceConfigLookUp()
                .directExecutor()
                .intercept(VersionHandshake.client(), Membership.client(proofs))
                .build();
        open.add(channel);
        return new Lease(channel, open);
    }

    /** Ends calls under way. */
    @Override
    public void close() {
        open.forEach(ManagedChannel::shutdownNow);
    }
}
