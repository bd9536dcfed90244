package io.cloudmw.core.delivery;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Entrant;
import java.util.List;
import java.util.Set;

/**
 * The plan for reading one chunk of the file. Each chunk is planned once; chunks of a stream are planned in the order
 * of their index.
 *
 * @param range the wanted part of the chunk, leaf-aligned except at the chunk's end
 * @param chunkLength bytes of the whole chunk
 * @param stores the stores of the chunk's replicas
 * @param bad the stores whose replica is known to be corrupt, lost or not yet written; they are read only when no other
 *     replica is left
 * @param entrants the helper (its first lane) meant for each replica, in the order of the replicas
 */
public record ChunkPlan(
        long chunkIndex,
        ByteRange range,
        long chunkLength,
        int leafSizeBytes,
        List<StoreId> stores,
        Set<StoreId> bad,
        List<Entrant> entrants) {
    public ChunkPlan {
        stores = List.copyOf(stores);
        bad = Set.copyOf(bad);
        entrants = List.copyOf(entrants);
    }

    int replicas() {
        return stores.size();
    }
}
