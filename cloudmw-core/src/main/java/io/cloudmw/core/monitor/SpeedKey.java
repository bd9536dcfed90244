package io.cloudmw.core.monitor;

import io.cloudmw.core.model.StoreId;

/** What one process keeps figures of. */
public record SpeedKey(StoreId store, SizeClass size) {}
