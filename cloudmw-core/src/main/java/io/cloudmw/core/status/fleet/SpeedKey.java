package io.cloudmw.core.status.fleet;

import io.cloudmw.core.model.StoreId;

/** The key of measured speeds: a store and a size of reads. */
public record SpeedKey(StoreId store, SizeClass size) {}
