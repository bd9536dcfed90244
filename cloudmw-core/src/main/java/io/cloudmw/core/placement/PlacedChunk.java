package io.cloudmw.core.placement;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * The placement of one chunk that is to be written.
 *
 * @param stores k of them, in the order of the volume's stores
 * @param owed those that cannot take the chunk now: the writer sends them nothing, and the commit records that they
 *     lack it
 * @param helper the helper to send the chunk to
 * @param carriers helpers that write replicas to buckets which {@code helper} cannot use, by bucket: it relays the
 *     chunk to them
 */
public record PlacedChunk(
        ChunkId chunk, List<StoreId> stores, List<StoreId> owed, HelperId helper, Map<StoreId, HelperId> carriers) {
    /** A chunk whose helper can use all the stores it writes to. */
    public PlacedChunk(ChunkId chunk, List<StoreId> stores, List<StoreId> owed, HelperId helper) {
        this(chunk, stores, owed, helper, Map.of());
    }

    public PlacedChunk {
        stores = List.copyOf(stores);
        owed = List.copyOf(owed);
        carriers = Map.copyOf(carriers);
        if (!new HashSet<>(stores).containsAll(owed)) {
            throw new IllegalArgumentException("owed: " + owed + " (expected: some of " + stores + ")");
        }
    }

    /** The stores that can take the chunk now, in their order. */
    public List<StoreId> writable() {
        return stores.stream().filter(store -> !owed.contains(store)).toList();
    }
}
