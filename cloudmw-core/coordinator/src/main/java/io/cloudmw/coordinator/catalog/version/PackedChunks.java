package io.cloudmw.coordinator.catalog.version;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.PackRelocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The present chunks of manifests that name slices of packs, which may have been compacted. */
public final class PackedChunks {
    private PackedChunks() {}

    /** Returns a manifest's chunks, in order; each slice of a compacted pack is one of the new pack. */
    public static List<Chunk> located(Packs catalog, List<Chunk> inManifest) throws CloudMwException {
        Map<VersionId, Optional<PackRelocation>> places = new HashMap<>();
        List<Chunk> located = new ArrayList<>(inManifest.size());
        for (Chunk chunk : inManifest) {
            if (chunk.id().slice().isEmpty()) {
                located.add(chunk);
                continue;
            }
            VersionId pack = chunk.id().version();
            if (!places.containsKey(pack)) {
                places.put(pack, catalog.relocation(pack));
            }
            located.add(places.get(pack).map(place -> place.resolve(chunk)).orElse(chunk));
        }
        return List.copyOf(located);
    }
}
