package io.cloudmw.coordinator.rpc;

import io.cloudmw.coordinator.Administration;
import io.cloudmw.coordinator.StoreChecks;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.CheckStoresRequest;
import io.cloudmw.proto.v1.CheckStoresResponse;
import io.cloudmw.proto.v1.CheckedStore;
import io.cloudmw.proto.v1.ListBucketsRequest;
import io.cloudmw.proto.v1.ListBucketsResponse;
import io.cloudmw.proto.v1.SetCredentialsRequest;
import io.cloudmw.proto.v1.SetCredentialsResponse;
import io.cloudmw.proto.v1.SetEncryptionRequest;
import io.cloudmw.proto.v1.SetEncryptionResponse;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The gRPC service for references to credentials, encryption and checks of stores. Safe for any thread. */
public final class AccessService extends StoreAccessGrpc.StoreAccessImplBase {
    /** The full names of the methods that only helpers may call. */
    public static final Set<String> HELPERS_ONLY =
            Set.of(StoreAccessGrpc.getListBucketsMethod().getFullMethodName());

    private final Administration administration;
    private final StoreChecks checks;
    private final UnaryCalls calls;

    /** Creates the service; the executor of {@code calls} bounds the calls worked on at once. */
    public AccessService(Administration administration, StoreChecks checks, UnaryCalls calls) {
        this.administration = administration;
        this.checks = checks;
        this.calls = calls;
    }

    @Override
    public void setCredentials(SetCredentialsRequest request, StreamObserver<SetCredentialsResponse> observer) {
        calls.answer(
                observer,
                () -> SetCredentialsResponse.newBuilder()
                        .setStore(ToWire.store(administration.setCredentials(
                                FromWire.storeId(request.getStoreId()),
                                AccessWire.credentials(request),
                                request.getCheck() ? checks::require : Administration.StoreProof.NONE,
                                FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void setEncryption(SetEncryptionRequest request, StreamObserver<SetEncryptionResponse> observer) {
        calls.answer(
                observer,
                () -> SetEncryptionResponse.newBuilder()
                        .setStore(ToWire.store(administration.setEncryption(
                                FromWire.storeId(request.getStoreId()),
                                AccessWire.encryption(request),
                                request.getCheck() ? checks::require : Administration.StoreProof.NONE,
                                FromWire.callId(request.getCall()))))
                        .build());
    }

    @Override
    public void checkStores(CheckStoresRequest request, StreamObserver<CheckStoresResponse> observer) {
        calls.answer(observer, () -> {
            Set<StoreId> ids = new LinkedHashSet<>();
            for (String id : request.getStoreIdsList()) {
                ids.add(FromWire.storeId(id));
            }
            CheckStoresResponse.Builder answer = CheckStoresResponse.newBuilder();
            checks.check(ids).forEach((store, found) -> answer.addStores(checked(store, found)));
            return answer.build();
        });
    }

    private static CheckedStore checked(StoreId store, Map<String, ProbeReport> found) {
        CheckedStore.Builder checked = CheckedStore.newBuilder().setStoreId(store.value());
        found.forEach((process, report) -> checked.addChecks(AccessWire.check(process, report)));
        return checked.build();
    }

    @Override
    public void listBuckets(ListBucketsRequest request, StreamObserver<ListBucketsResponse> observer) {
        calls.answer(
                observer,
                () -> ListBucketsResponse.newBuilder()
                        .addAllStores(administration.buckets().stream()
                                .map(ToWire::store)
                                .toList())
                        .build());
    }
}
