package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.StoreId;

/** A finding about one replica of a chunk. */
public record ReplicaReport(ChunkId chunk, StoreId store, ReplicaState state) {}
