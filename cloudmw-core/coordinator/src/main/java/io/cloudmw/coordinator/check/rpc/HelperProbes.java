package io.cloudmw.coordinator.check.rpc;

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

/** Has helpers check stores. Safe for any thread. */
public final class HelperProbes {
    private static final long ANSWER_MILLIS = 300;

    private final ControlChannels channels;

    /** @param channels stay the caller's to close */
    public HelperProbes(ControlChannels channels) {
        this.channels = channels;
    }

    /**
     * Asks a helper.
     *
     * @throws CloudMwException {@code HELPER_UNAVAILABLE} when it does not answer; what it refuses the call with
     */
    public ProbeReport probe(HelperAddress helper, Store store, Duration timeout) throws CloudMwException {
        try (ControlChannels.Lease lease = channels.to(helper)) {
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
