package io.cloudmw.core.placement;

import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * Where one chunk is to be written.
 *
 * @param stores k of them, in the order of the volume's stores
 * @param helper whom to send the chunk to
 */
public record PlacedChunk(ChunkId chunk, List<StoreId> stores, HelperId helper) {
    public PlacedChunk {
        stores = List.copyOf(stores);
    }
}
