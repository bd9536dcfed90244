package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestLookup;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The lookup of which copies in stores the catalog references. Decides from the catalog alone; calls block. */
final class ReferencedCopies {
    private final Catalog catalog;

    ReferencedCopies(Catalog catalog) {
        this.catalog = catalog;
    }

    static Map<VersionId, Set<ChunkId>> byVersion(List<ChunkId> chunks) {
        Map<VersionId, Set<ChunkId>> byVersion = new LinkedHashMap<>();
        for (ChunkId chunk : chunks) {
            byVersion
                    .computeIfAbsent(chunk.version(), ignored -> new LinkedHashSet<>())
                    .add(chunk);
        }
        return byVersion;
    }

    /**
     * Some chunks of one version that have copies in a store.
     *
     * @param state of the version that wrote them
     * @param unnamed unreferenced copies, which only upkeep can reference again. Copies of a version that is not current
     *     count if no current version has the chunk. Copies of a chunk of a current version count if neither its
     *     manifest nor a record has a copy in this store. An open upload references all its copies.
     * @param named chunks that a current version references, wherever their copies are
     * @param retired versions that are retired and have some of the unreferenced chunks; forgotten versions could not be
     *     told from unknown ones if the last of these were forgotten first
     */
    record Found(VersionState state, Set<ChunkId> unnamed, Set<ChunkId> named, Set<VersionId> retired) {}

    /**
     * Looks up copies.
     *
     * @param owner the version that wrote them
     * @return empty when the version is unknown
     */
    Optional<Found> find(StoreId store, VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        if (state.isEmpty() || state.get() == VersionState.OPEN) {
            return state.map(open -> new Found(open, Set.of(), Set.of(), Set.of()));
        }
        Set<VersionId> retired = new HashSet<>();
        Map<ChunkId, ChunkReference> named = namers(state.get(), owner, chunks, retired);
        Set<ChunkId> unnamed = new LinkedHashSet<>(chunks);
        unnamed.removeAll(placed(store, named));
        if (state.get() == VersionState.RETIRED && !unnamed.isEmpty()) {
            retired.add(owner);
        }
        return Optional.of(new Found(state.get(), unnamed, Set.copyOf(named.keySet()), retired));
    }

    /** Returns the chunks of one version that a current version references. */
    Set<ChunkId> named(VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        return state.isPresent()
                ? namers(state.get(), owner, chunks, new HashSet<>()).keySet()
                : Set.of();
    }

    /**
     * Returns where current versions reference each chunk; other chunks are left out. A current version references all
     * its own chunks.
     *
     * @param retired receives versions that reference the other chunks
     */
    private Map<ChunkId, ChunkReference> namers(
            VersionState state, VersionId owner, Set<ChunkId> chunks, Set<VersionId> retired) throws CloudMwException {
        Map<ChunkId, ChunkReference> places = new LinkedHashMap<>();
        if (state == VersionState.CURRENT) {
            chunks.forEach(chunk -> places.put(chunk, ChunkReference.ofWriter(owner, true)));
            return places;
        }
        for (ChunkId chunk : state == VersionState.RETIRED ? catalog.namedElsewhere(owner, chunks) : chunks) {
            Optional<ChunkReference> place = catalog.namer(chunk);
            if (place.isPresent() && place.get().current()) {
                places.put(chunk, place.get());
            } else {
                place.ifPresent(last -> retired.add(last.version()));
            }
        }
        return places;
    }

    /** Returns the chunks of which the referencing manifest, with its records, has a copy in this store. */
    private Set<ChunkId> placed(StoreId store, Map<ChunkId, ChunkReference> named) throws CloudMwException {
        // A chunk that is referenced but cannot be looked up now is treated as placed.
        Set<ChunkId> placed = new HashSet<>(named.keySet());
        for (ChunkWalk.Stretch stretch : ManifestLookup.find(catalog, named)) {
            for (CurrentReplicas copies : stretch.chunks()) {
                if (!copies.stores().contains(store)) {
                    placed.remove(copies.chunk().id());
                }
            }
        }
        return placed;
    }
}
