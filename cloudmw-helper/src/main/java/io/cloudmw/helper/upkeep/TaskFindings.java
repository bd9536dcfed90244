package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The findings of one task, also of a task that failed. Confined to one thread. */
final class TaskFindings {
    private final List<ReplicaReport> faults = new ArrayList<>();
    private Optional<StoreId> blamed = Optional.empty();
    private long bytesRead;

    /** Copies that are missing or corrupt. */
    List<ReplicaReport> faults() {
        return List.copyOf(faults);
    }

    /** The store whose failure failed the task. */
    Optional<StoreId> blamed() {
        return blamed;
    }

    /** Bytes read from stores, of good, bad and partly read copies. */
    long bytesRead() {
        return bytesRead;
    }

    void read(long bytes) {
        bytesRead += bytes;
    }

    /** Notes the failure of a read; a missing or corrupt copy becomes a report. */
    void note(ChunkId chunk, StoreId store, ErrorCode code) {
        if (code.isOfReplica()) {
            ReplicaState state = code == ErrorCode.REPLICA_CORRUPT ? ReplicaState.CORRUPT : ReplicaState.MISSING;
            faults.add(new ReplicaReport(chunk, store, state));
        }
    }

    /** A call to a store. */
    interface StoreCall<T> {
        T run() throws CloudMwException;
    }

    /** Calls a store that no other can replace; blames the store when the call fails. */
    <T> T at(StoreId store, StoreCall<T> call) throws CloudMwException {
        try {
            return call.run();
        } catch (CloudMwException e) {
            blamed = Optional.of(store);
            throw e;
        }
    }
}
