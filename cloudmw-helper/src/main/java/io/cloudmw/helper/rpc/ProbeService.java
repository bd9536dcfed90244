package io.cloudmw.helper.rpc;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.reach.BucketProbe;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.ProbeStoreRequest;
import io.cloudmw.proto.v1.ProbeStoreResponse;
import io.cloudmw.proto.v1.StoreProbesGrpc;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;

/** The gRPC service by which coordinators have this helper probe stores. */
public final class ProbeService extends StoreProbesGrpc.StoreProbesImplBase {
    /** Full names of the methods that only members of the cluster may call. */
    public static final Set<String> MEMBERS_ONLY =
            Set.of(StoreProbesGrpc.getProbeStoreMethod().getFullMethodName());

    private static final long LONGEST_MILLIS = 10_000;

    private final HelperId self;
    private final BucketProbe probe;
    private final UnaryCalls calls;

    /** @param executor bounds concurrent probes */
    public ProbeService(HelperId self, BucketProbe probe, Executor executor) {
        this.self = self;
        this.probe = probe;
        this.calls = new UnaryCalls(executor);
    }

    @Override
    public void probeStore(ProbeStoreRequest request, StreamObserver<ProbeStoreResponse> observer) {
        calls.answer(observer, () -> {
            Store store = FromWire.store(request.getStore());
            Duration timeout = Duration.ofMillis(Math.max(1, Math.min(LONGEST_MILLIS, request.getTimeoutMillis())));
            return ProbeStoreResponse.newBuilder()
                    .setCheck(AccessWire.check("helper " + self, probe.probe(store, timeout)))
                    .build();
        });
    }
}
