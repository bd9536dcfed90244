package io.cloudmw.client.rpc.link;

import io.cloudmw.core.cost.Usage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import java.util.Map;
import java.util.Optional;

/** What a switch that is warmed says; by any thread, one at a time. Must not block. */
public interface WarmEvents {
    /**
     * What became of a block at a switch.
     *
     * @param keptBytes that it kept already
     * @param parentBytes that came from other switches
     * @param stores what was asked of stores
     * @param failure why something is missing
     */
    record Warmed(long keptBytes, long parentBytes, Map<StoreId, Usage> stores, Optional<CloudMwException> failure) {
        public Warmed {
            stores = Map.copyOf(stores);
        }
    }

    /**
     * It may be given blocks.
     *
     * @param window so many at once
     * @param capacityBytes that it may keep
     */
    void ready(int window, long capacityBytes);

    /** All that it lacks of a block is on its way. */
    void underWay(BlockId block);

    /** It has dealt with a block. */
    void warmed(BlockId block, Warmed warmed);

    /** It can be given no more. */
    void gone(CloudMwException why);
}
