package io.cloudmw.core.placement;

import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The stores chosen for a chunk's replicas.
 *
 * @param stores k of them, in the volume's order: the i-th replica of the paper
 * @param owed those that cannot take the chunk now
 */
public record PlacedReplicas(List<StoreId> stores, List<StoreId> owed) {
    public PlacedReplicas {
        stores = List.copyOf(stores);
        owed = List.copyOf(owed);
    }
}
