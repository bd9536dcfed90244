package io.cloudmw.core.placement;

import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.security.TransferToken;
import java.util.List;

/**
 * Where a batch of chunks is to be written.
 *
 * @param stores every store the placements name
 * @param helpers every helper the placements name, and the owners of their disks
 */
public record WritePlan(
        List<PlacedChunk> placements, List<StoreStatus> stores, List<HelperAddress> helpers, TransferToken token) {
    public WritePlan {
        placements = List.copyOf(placements);
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
    }
}
