package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Bill;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.StoreId;
import java.util.Map;

/**
 * The usage of each store by a transfer, cancelled and failed attempts included, and its price.
 *
 * @param usage by store; as far as helpers could report it
 * @param bill by the client's price table
 */
public record TransferCost(Map<StoreId, StoreUsage> usage, Bill bill) {
    public TransferCost {
        usage = Map.copyOf(usage);
    }

    /** The sum over all stores. */
    public StoreUsage total() {
        return usage.values().stream().reduce(StoreUsage.NONE, StoreUsage::plus);
    }
}
