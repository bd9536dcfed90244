package io.cloudmw.client.progress;

import io.cloudmw.core.model.StoreId;

/**
 * Bytes of one chunk that one racer delivered, verified. A chunk has one, or several where a relay broke and another
 * racer delivered the rest.
 *
 * @param block number of the race within the transfer (the paper's round)
 * @param racer name of the helper; {@link Attempt#LOCAL} when the client raced by itself
 * @param store the replica they came from
 */
public record Win(long chunkIndex, int block, String racer, StoreId store, long bytes) {}
