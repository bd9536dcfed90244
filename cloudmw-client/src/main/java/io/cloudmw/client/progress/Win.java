package io.cloudmw.client.progress;

import io.cloudmw.core.model.StoreId;

/**
 * Bytes of one chunk that one racer delivered, verified. A chunk has several wins where a relay broke and another racer
 * delivered the rest.
 *
 * @param block number of the race within the transfer (the paper's round)
 * @param racer name of the helper; {@link Attempt#LOCAL} for the client's in-process racers
 * @param store the store of the replica
 */
public record Win(long chunkIndex, int block, String racer, StoreId store, long bytes) {}
