package io.cloudmw.client.rpc.coordinator;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.BucketEncryption;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.wire.AccessWire;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.proto.v1.CheckStoresRequest;
import io.cloudmw.proto.v1.CheckStoresResponse;
import io.cloudmw.proto.v1.CheckedStore;
import io.cloudmw.proto.v1.StoreAccessGrpc;
import io.cloudmw.proto.v1.StoreCheck;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Calls about access to stores: credentials, encryption and checks. Safe for any thread. */
public final class StoreAccessCalls {
    private final CoordinatorClient coordinator;

    StoreAccessCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Sets the reference to a bucket's credentials.
     *
     * @param check whether the store first proves that it can be used with them
     */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials, boolean check) {
        return coordinator.call(
                StoreAccessGrpc.getSetCredentialsMethod(),
                AccessWire.setCredentials(store, credentials)
                        .setCheck(check)
                        .setCall(CoordinatorClient.newCall())
                        .build(),
                answer -> FromWire.store(answer.getStore()));
    }

    /**
     * Sets the encryption of the objects that a bucket is given from now on.
     *
     * @param check whether the store first proves that it can be used so
     */
    public CompletableFuture<Store> setEncryption(StoreId store, BucketEncryption encryption, boolean check) {
        return coordinator.call(
                StoreAccessGrpc.getSetEncryptionMethod(),
                AccessWire.setEncryption(store, encryption)
                        .setCheck(check)
                        .setCall(CoordinatorClient.newCall())
                        .build(),
                answer -> FromWire.store(answer.getStore()));
    }

    /**
     * Checks buckets, a few at a time.
     *
     * @param stores empty: all that were not declared lost
     * @param found is told of each store, in order, by one thread at a time
     */
    public CompletableFuture<Void> check(List<StoreId> stores, BiConsumer<StoreId, Map<String, ProbeReport>> found) {
        CompletableFuture<List<StoreId>> chosen =
                stores.isEmpty() ? coordinator.stores().thenApply(StoreAccessCalls::buckets) : completedFuture(stores);
        return chosen.thenCompose(all -> checkNext(all, found));
    }

    private static List<StoreId> buckets(List<StoreStatus> stores) {
        return stores.stream()
                .map(StoreStatus::store)
                .filter(store -> store.owner().isEmpty() && !store.isLost())
                .map(Store::id)
                .toList();
    }

    private CompletableFuture<Void> checkNext(List<StoreId> left, BiConsumer<StoreId, Map<String, ProbeReport>> found) {
        if (left.isEmpty()) {
            return completedFuture(null);
        }
        int few = Math.min(left.size(), AccessWire.MAX_CHECKED);
        CheckStoresRequest request = CheckStoresRequest.newBuilder()
                .addAllStoreIds(
                        left.subList(0, few).stream().map(StoreId::value).toList())
                .build();
        return coordinator
                .call(StoreAccessGrpc.getCheckStoresMethod(), request, StoreAccessCalls::checks)
                .thenCompose(checks -> {
                    checks.forEach(found);
                    return checkNext(left.subList(few, left.size()), found);
                });
    }

    private static Map<StoreId, Map<String, ProbeReport>> checks(CheckStoresResponse answer) throws CloudMwException {
        Map<StoreId, Map<String, ProbeReport>> checks = new LinkedHashMap<>();
        for (CheckedStore checked : answer.getStoresList()) {
            checks.put(FromWire.storeId(checked.getStoreId()), reports(checked.getChecksList()));
        }
        return checks;
    }

    /** The reports by process. */
    static Map<String, ProbeReport> reports(List<StoreCheck> checks) {
        Map<String, ProbeReport> reports = new LinkedHashMap<>();
        for (StoreCheck check : checks) {
            reports.put(check.getProcess(), AccessWire.report(check));
        }
        return reports;
    }
}
