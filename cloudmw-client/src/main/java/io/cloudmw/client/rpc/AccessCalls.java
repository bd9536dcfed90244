package io.cloudmw.client.rpc;

import io.cloudmw.core.access.CredentialsReference;
import io.cloudmw.core.access.ProbeReport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
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

/** Asks the coordinator about getting into stores. Safe for any thread. */
public final class AccessCalls {
    private final CoordinatorClient coordinator;

    AccessCalls(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Has the credentials of a bucket found elsewhere. */
    public CompletableFuture<Store> setCredentials(StoreId store, CredentialsReference credentials) {
        return coordinator.call(
                StoreAccessGrpc.getSetCredentialsMethod(),
                AccessWire.setCredentials(store, credentials)
                        .setCall(CoordinatorClient.newCall())
                        .build(),
                answer -> FromWire.store(answer.getStore()));
    }

    /**
     * Has buckets checked.
     *
     * @param stores empty: all
     */
    public CompletableFuture<Map<StoreId, Map<String, ProbeReport>>> check(List<StoreId> stores) {
        return coordinator.call(
                StoreAccessGrpc.getCheckStoresMethod(),
                CheckStoresRequest.newBuilder()
                        .addAllStoreIds(stores.stream().map(StoreId::value).toList())
                        .build(),
                AccessCalls::checks);
    }

    private static Map<StoreId, Map<String, ProbeReport>> checks(CheckStoresResponse answer) throws CloudMwException {
        Map<StoreId, Map<String, ProbeReport>> checks = new LinkedHashMap<>();
        for (CheckedStore checked : answer.getStoresList()) {
            checks.put(FromWire.storeId(checked.getStoreId()), reports(checked.getChecksList()));
        }
        return checks;
    }

    /** By process. */
    static Map<String, ProbeReport> reports(List<StoreCheck> checks) {
        Map<String, ProbeReport> reports = new LinkedHashMap<>();
        for (StoreCheck check : checks) {
            reports.put(check.getProcess(), AccessWire.report(check));
        }
        return reports;
    }
}
