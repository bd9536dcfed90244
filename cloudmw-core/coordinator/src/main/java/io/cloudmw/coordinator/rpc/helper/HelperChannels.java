package io.cloudmw.coordinator.rpc.helper;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.security.MemberProofs;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The coordinator's channels to the control addresses of helpers, one per call, since such calls are rare. Every call
 * proves that this process knows the cluster's secret. Safe for any thread.
 */
public final class HelperChannels implements AutoCloseable {
    private final RpcChannels rpc;
    private final MemberProofs proofs;
    private final Set<ManagedChannel> open = ConcurrentHashMap.newKeySet();

    /**
     * @param rpc makes the channels
     * @param proofs prove that this process knows the cluster's secret
     */
    public HelperChannels(RpcChannels rpc, MemberProofs proofs) {
        this.rpc = rpc;
        this.proofs = proofs;
    }

    /** A channel, which connects on its first use. Closing it ends its running calls. */
    record HelperChannel(ManagedChannel managed, Set<ManagedChannel> open) implements AutoCloseable {
        Channel channel() {
            return managed;
        }

        @Override
        public void close() {
            managed.shutdownNow();
            open.remove(managed);
        }
    }

    HelperChannel to(HelperAddress helper) {
        ManagedChannel channel = rpc.toHelper(helper)
                .disableServiceConfigLookUp()
                .directExecutor()
                .intercept(Membership.client(proofs))
                .build();
        open.add(channel);
        return new HelperChannel(channel, open);
    }

    /** Ends the running calls. */
    @Override
    public void close() {
        open.forEach(ManagedChannel::shutdownNow);
    }
}
