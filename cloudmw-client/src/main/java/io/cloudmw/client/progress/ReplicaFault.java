package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;

/** A replica found missing or corrupt. It was reported to the coordinator, and another replica was read instead. */
public record ReplicaFault(ChunkId chunk, StoreId store, ErrorCode code) {}
