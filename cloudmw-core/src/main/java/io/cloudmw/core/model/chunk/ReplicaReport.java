package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.StoreId;

/**
 * A finding about one replica of a chunk.
 *
 * @param chunk a stored chunk; a finding about a slice is one about the chunk that holds it
 */
public record ReplicaReport(ChunkId chunk, StoreId store, ReplicaState state) {
    public ReplicaReport {
        chunk = chunk.stored();
    }
}
