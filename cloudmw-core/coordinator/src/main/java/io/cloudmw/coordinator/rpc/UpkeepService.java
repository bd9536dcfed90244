package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.UpkeepWire;
import io.cloudmw.proto.v1.BeginRoundRequest;
import io.cloudmw.proto.v1.BeginRoundResponse;
import io.cloudmw.proto.v1.CollectRequest;
import io.cloudmw.proto.v1.CollectResponse;
import io.cloudmw.proto.v1.DrainRequest;
import io.cloudmw.proto.v1.DrainResponse;
import io.cloudmw.proto.v1.EndCollectionRequest;
import io.cloudmw.proto.v1.EndCollectionResponse;
import io.cloudmw.proto.v1.EndRoundRequest;
import io.cloudmw.proto.v1.GetCollectionRequest;
import io.cloudmw.proto.v1.GetRoundRequest;
import io.cloudmw.proto.v1.GetStatusRequest;
import io.cloudmw.proto.v1.GetStatusResponse;
import io.cloudmw.proto.v1.OrderedRoundFare;
import io.cloudmw.proto.v1.RoundFare;
import io.cloudmw.proto.v1.UpkeepGrpc;
import io.cloudmw.proto.v1.WorkRequest;
import io.cloudmw.proto.v1.WorkResponse;
import io.grpc.stub.StreamObserver;
import java.util.Set;

/** The gRPC service for upkeep: tasks for helpers, and orders and status for users. Safe for any thread. */
public final class UpkeepService extends UpkeepGrpc.UpkeepImplBase {
    /** The full names of the methods that only helpers may call. */
    public static final Set<String> HELPERS_ONLY =
            Set.of(UpkeepGrpc.getWorkMethod().getFullMethodName());

    private final Upkeep upkeep;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public UpkeepService(Upkeep upkeep, UnaryCalls calls) {
        this.upkeep = upkeep;
        this.calls = calls;
    }

    @Override
    public void work(WorkRequest request, StreamObserver<WorkResponse> observer) {
        calls.answer(
                observer,
                () -> UpkeepWire.handout(upkeep.work(
                        FromWire.helperId(request.getHelperId()), UpkeepWire.results(request), request.getRoom())));
    }

    @Override
    public void drain(DrainRequest request, StreamObserver<DrainResponse> observer) {
        calls.answer(observer, () -> UpkeepWire.drained(upkeep.drain(UpkeepWire.order(request))));
    }

    @Override
    public void collect(CollectRequest request, StreamObserver<CollectResponse> observer) {
        calls.answer(
                observer,
                () -> CollectResponse.newBuilder()
                        .setRound(upkeep.collect(UpkeepWire.order(request), request.getDry()))
                        .build());
    }

    @Override
    public void endCollection(EndCollectionRequest request, StreamObserver<EndCollectionResponse> observer) {
        calls.answer(observer, () -> {
            upkeep.endCollection(UpkeepWire.order(request.getOrderId()));
            return EndCollectionResponse.getDefaultInstance();
        });
    }

    @Override
    public void getCollection(GetCollectionRequest request, StreamObserver<OrderedRoundFare> observer) {
        calls.answer(observer, () -> UpkeepWire.fare(upkeep.collection(UpkeepWire.order(request.getOrderId()))));
    }

    @Override
    public void beginRound(BeginRoundRequest request, StreamObserver<BeginRoundResponse> observer) {
        calls.answer(
                observer,
                () -> BeginRoundResponse.newBuilder()
                        .setRound(upkeep.beginRound(
                                UpkeepWire.kind(request), UpkeepWire.scope(request), request.getAttended()))
                        .build());
    }

    @Override
    public void getRound(GetRoundRequest request, StreamObserver<RoundFare> observer) {
        calls.answer(observer, () -> UpkeepWire.fare(upkeep.round(request.getRound())));
    }

    @Override
    public void endRound(EndRoundRequest request, StreamObserver<RoundFare> observer) {
        calls.answer(observer, () -> UpkeepWire.fare(upkeep.endRound(request.getRound())));
    }

    @Override
    public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> observer) {
        calls.answer(observer, () -> UpkeepWire.status(upkeep.status()));
    }
}
