package io.cloudmw.client.progress;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;

/** A replica found missing or corrupt. It was reported to the coordinator, and another replica was read instead. */
public record ReplicaFault(ChunkId chunk, StoreId store, ErrorCode code) {}
