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

/**
 * The present chunks of manifests that name slices of packs, which may have been compacted. The catalog is asked once for
 * each pack. Confined to one thread.
 */
public final class PackedChunks {
    private final Packs catalog;
    private final Map<VersionId, Optional<PackRelocation>> places = new HashMap<>();

    public PackedChunks(Packs catalog) {
        this.catalog = catalog;
    }

    /** Returns the chunks of one manifest as {@link #located(List)} does. */
    public static List<Chunk> located(Packs catalog, List<Chunk> inManifest) throws CloudMwException {
        return new PackedChunks(catalog).located(inManifest);
    }

    /** Returns a manifest's chunks, in order; each slice of a compacted pack is one of the new pack. */
    public List<Chunk> located(List<Chunk> inManifest) throws CloudMwException {
        List<Chunk> located = new ArrayList<>(inManifest.size());
        for (Chunk chunk : inManifest) {
            located.add(chunk.id().slice().isPresent() ? located(chunk) : chunk);
        }
        return List.copyOf(located);
    }

    private Chunk located(Chunk slice) throws CloudMwException {
        VersionId pack = slice.id().version();
        Optional<PackRelocation> place = places.get(pack);
        if (place == null) {
            place = catalog.relocation(pack);
            places.put(pack, place);
        }
        return place.map(found -> found.resolve(slice)).orElse(slice);
    }
}
