package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.schedule.Tenant;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Who wants blocks.
 *
 * @param tenant on whose behalf
 * @param deadlineNanos when they should be there, by the pools' ticker; empty: not said
 * @param stores finds their replicas
 * @param upstream who is asked before those
 * @param faults told, by each reading for it here that finds one, of a bad replica; any thread; must not block
 */
public record Requester(
        Tenant tenant,
        OptionalLong deadlineNanos,
        StoreResolver stores,
        Upstream upstream,
        Consumer<ReplicaReport> faults) {
    /** Who reports to nobody what is bad. */
    public Requester(Tenant tenant, OptionalLong deadlineNanos, StoreResolver stores, Upstream upstream) {
        this(tenant, deadlineNanos, stores, upstream, report -> {});
    }

    /** What reading a replica failed with, says something about that or not. */
    void failed(ChunkId chunk, StoreId store, CloudMwException cause) {
        if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
            faults.accept(new ReplicaReport(chunk, store, ReplicaState.CORRUPT));
        } else if (cause.code() == ErrorCode.REPLICA_MISSING) {
            faults.accept(new ReplicaReport(chunk, store, ReplicaState.MISSING));
        }
    }
}
