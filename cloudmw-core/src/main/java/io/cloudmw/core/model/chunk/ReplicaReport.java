package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.StoreId;

/** What somebody found out about one copy of a chunk. */
public record ReplicaReport(ChunkId chunk, StoreId store, ReplicaState state) {}
