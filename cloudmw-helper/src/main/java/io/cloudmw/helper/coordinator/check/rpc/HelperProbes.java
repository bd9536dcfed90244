package io.cloudmw.helper.coordinator.check.rpc;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.ChannelTarget;
import io.cloudmw.core.wire.Handshake;
import io.cloudmw.core.wire.Membership;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.WireErrors;
import io.cloudmw.proto.v1.ProbeStoreRequest;
import io.cloudmw.proto.v1.StoreProbesGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Has helpers check stores, over a connection for each check: checks are rare. */
public final class HelperProbes implements AutoCloseable {
    private static final long ANSWER_MILLIS = 300;

    private final MemberProofs proofs;
    private final Set<ManagedChannel> open = ConcurrentHashMap.newKeySet();

    /** @param proofs shows that this process knows the cluster's secret */
    public HelperProbes(MemberProofs proofs) {
        this.proofs = proofs;
    }

    /**
     * Asks a helper.
     *
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when it does not answer; what it refuses the call with
     */
    public ProbeReport probe(HelperAddress helper, Store store, Duration timeout) throws CloudMwException {
        ManagedChannel channel = NettyChannelBuilder.forTarget(ChannelTarget.of(helper.control()))
                .usePlaintext()
                .disableServiceConfigLookUp()
                .directExecutor()
                .intercept(Handshake.client(), Membership.client(proofs))
                .build();
        open.add(channel);
        try {
            return AccessWire.report(StoreProbesGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .probeStore(ProbeStoreRequest.newBuilder()
                            .setStore(ToWire.store(store))
                            .setTimeoutMillis(Math.max(1, timeout.toMillis() - ANSWER_MILLIS))
                            .build())
                    .getCheck());
        } catch (StatusRuntimeException e) {
            throw WireErrors.fromStatus(e, ErrorCode.HELPER_UNAVAILABLE, "helper " + helper.id());
        } finally {
            channel.shutdownNow();
            open.remove(channel);
        }
    }

    /** Ends checks under way. */
    @Override
    public void close() {
        open.forEach(ManagedChannel::shutdownNow);
    }
}
