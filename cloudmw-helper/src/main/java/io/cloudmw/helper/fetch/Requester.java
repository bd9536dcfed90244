package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.schedule.Tenant;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The process that requests blocks, with what it may use.
 *
 * @param tenant the client on whose behalf blocks are fetched
 * @param deadlineNanos time by which the blocks should be here, by the pools' ticker; empty when none was set
 * @param stores finds the stores of replicas
 * @param upstream the switches that are asked before those stores
 * @param faults hears of each bad replica that a read for it finds; any thread; must not block
 */
public record Requester(
        Tenant tenant,
        OptionalLong deadlineNanos,
        StoreResolver stores,
        Upstream upstream,
        Consumer<ReplicaReport> faults) {
    /** A requester without fault reports. */
    public Requester(Tenant tenant, OptionalLong deadlineNanos, StoreResolver stores, Upstream upstream) {
        this(tenant, deadlineNanos, stores, upstream, report -> {});
    }

    /** Reports a replica when a read failed because the replica is missing or corrupt. */
    void failed(ChunkId chunk, StoreId store, CloudMwException cause) {
        if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
            faults.accept(new ReplicaReport(chunk, store, ReplicaState.CORRUPT));
        } else if (cause.code() == ErrorCode.REPLICA_MISSING) {
            faults.accept(new ReplicaReport(chunk, store, ReplicaState.MISSING));
        }
    }
}
