package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.WantedBlock;

/** A fetcher of blocks. Safe for any thread; never blocks. */
@FunctionalInterface
public interface BlockFetcher {
    /**
     * Starts an attempt.
     *
     * @param store the store of one of the block's replicas
     * @throws CloudMwException {@code OVERLOADED}, with a retry-after, when the queue is full
     */
    BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException;

    /** Returns whether the whole block is cached here. */
    default boolean keeps(WantedBlock block) {
        return false;
    }

    /** Drops a block from the cache, because it arrived damaged. */
    default void doubt(WantedBlock block) {}
}
