package io.cloudmw.client.rpc.link;

import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import java.util.Map;
import java.util.Optional;

/** A listener to the events of a switch that is warmed. Called by any thread, one event at a time; must not block. */
public interface WarmEvents {
    /**
     * The result of warming a switch with a block.
     *
     * @param keptBytes bytes that the switch had cached already
     * @param parentBytes bytes that came from other switches
     * @param stores reads of stores
     * @param failure the reason why bytes are missing
     */
    record Warmed(
            long keptBytes, long parentBytes, Map<StoreId, StoreUsage> stores, Optional<CloudMwException> failure) {
        public Warmed {
            stores = Map.copyOf(stores);
        }
    }

    /**
     * The switch accepts blocks.
     *
     * @param window the number of blocks it accepts at once
     * @param capacityBytes the capacity of its cache
     */
    void ready(int window, long capacityBytes);

    /** All bytes that the switch lacks of a block are on their way. */
    void underWay(BlockId block);

    /** The switch has finished with a block. */
    void warmed(BlockId block, Warmed warmed);

    /** The switch accepts no more blocks. */
    void gone(CloudMwException why);
}
