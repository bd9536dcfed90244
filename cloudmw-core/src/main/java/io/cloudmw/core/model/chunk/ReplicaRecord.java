package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.StoreId;

/**
 * The catalog's record of a replica that is not simply good and where the manifest says. Most replicas have none.
 *
 * @param sinceMillis the recording coordinator's time when it was recorded
 */
public record ReplicaRecord(ChunkId chunk, StoreId store, ReplicaState state, long sinceMillis) {
    public ReplicaReport report() {
        return new ReplicaReport(chunk, store, state);
    }
}
