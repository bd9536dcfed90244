package io.cloudmw.coordinator.rpc.helper;

import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.rpc.RpcErrors;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.ProbeStoreRequest;
import io.cloudmw.proto.v1.StoreProbesGrpc;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The calls that let helpers check stores. Safe for any thread. */
public final class HelperProbes {
    private static final long ANSWER_MILLIS = 300;

    private final HelperChannels channels;

    /** @param channels closed by the caller */
    public HelperProbes(HelperChannels channels) {
        this.channels = channels;
    }

    /**
     * Asks a helper to check a store.
     *
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when the helper does not answer; its refusal of the call
     */
    public ProbeReport probe(HelperAddress helper, Store store, Duration timeout) throws CloudMwException {
        try (HelperChannels.HelperChannel lease = channels.to(helper)) {
            return AccessWire.report(StoreProbesGrpc.newBlockingStub(lease.channel())
                    .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    .probeStore(ProbeStoreRequest.newBuilder()
                            .setStore(ToWire.store(store))
                            .setTimeoutMillis(Math.max(1, timeout.toMillis() - ANSWER_MILLIS))
                            .build())
                    .getCheck());
        } catch (StatusRuntimeException e) {
            throw RpcErrors.fromStatus(e, ErrorCode.HELPER_UNAVAILABLE, "helper " + helper.id());
        }
    }
}
