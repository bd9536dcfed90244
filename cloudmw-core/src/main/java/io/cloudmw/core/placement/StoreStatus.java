package io.cloudmw.core.placement;

import io.cloudmw.core.model.Store;

/**
 * A store and whether it can be used now.
 *
 * @param available an S3 store always is; a disk while its owner's lease is
 */
public record StoreStatus(Store store, boolean available) {}
