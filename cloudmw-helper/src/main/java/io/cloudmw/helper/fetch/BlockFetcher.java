package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.helper.block.WantedBlock;

/** A way to get blocks. Safe for any thread; never blocks. */
@FunctionalInterface
public interface BlockFetcher {
    /**
     * Starts an attempt.
     *
     * @param store one of the block's replicas
     * @throws CloudMwException {@code OVERLOADED}, with when to try again, when too many are waiting already
     */
    BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException;

    /** Whether all of a block is kept here, and need not be fetched. */
    default boolean keeps(WantedBlock block) {
        return false;
    }

    /** What was given of this block did not arrive as it should: whatever is kept of it is kept no longer. */
    default void doubt(WantedBlock block) {}
}
