package io.cloudmw.helper.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.ReplicaReport;
import io.cloudmw.core.model.ReplicaState;
import io.cloudmw.core.model.StoreId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What was found out during one task, whatever becomes of it. Confined to one thread. */
final class TaskFindings {
    private final List<ReplicaReport> faults = new ArrayList<>();
    private Optional<StoreId> blamed = Optional.empty();
    private long bytesRead;

    /** Copies that are not as they ought to be. */
    List<ReplicaReport> faults() {
        return List.copyOf(faults);
    }

    /** The store for whose failure the task failed. */
    Optional<StoreId> blamed() {
        return blamed;
    }

    /** Bytes that came from stores, of copies that were right, wrong, or not read to their end. */
    long bytesRead() {
        return bytesRead;
    }

    void read(long bytes) {
        bytesRead += bytes;
    }

    /** What reading a copy failed with, says something about it or not. */
    void note(ChunkId chunk, StoreId store, ErrorCode code) {
        if (code.isOfReplica()) {
            ReplicaState state = code == ErrorCode.REPLICA_CORRUPT ? ReplicaState.CORRUPT : ReplicaState.MISSING;
            faults.add(new ReplicaReport(chunk, store, state));
        }
    }

    /** Something that is done at a store. */
    interface StoreCall<T> {
        T run() throws CloudMwException;
    }

    /** Does something for which no other store would do. */
    <T> T at(StoreId store, StoreCall<T> call) throws CloudMwException {
        try {
            return call.run();
        } catch (CloudMwException e) {
            blamed = Optional.of(store);
            throw e;
        }
    }
}
