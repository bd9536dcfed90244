package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.StoreId;

/**
 * What a catalog keeps of one copy of a chunk; of most copies, which are good and where the manifest says, it keeps
 * nothing.
 *
 * @param sinceMillis when this was recorded, by the recording coordinator's clock
 */
public record ReplicaRecord(ChunkId chunk, StoreId store, ReplicaState state, long sinceMillis) {
    public ReplicaReport report() {
        return new ReplicaReport(chunk, store, state);
    }
}
