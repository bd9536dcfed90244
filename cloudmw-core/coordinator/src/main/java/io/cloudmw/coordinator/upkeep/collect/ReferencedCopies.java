package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.coordinator.catalog.Catalog;
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
     * @param unnamed unreferenced copies, which only upkeep can reference again. Copies of a retired version count if
     *     no other version has the chunk. Copies of a current version count if neither its manifest nor a record has a
     *     copy in this store. An open upload references all its copies.
     * @param named chunks that a committed version references, wherever their copies are
     */
    record Found(VersionState state, Set<ChunkId> unnamed, Set<ChunkId> named) {}

    /**
     * Looks up copies.
     *
     * @param owner the version that wrote them
     * @return empty when the version is unknown
     */
    Optional<Found> find(StoreId store, VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        if (state.isEmpty() || state.get() == VersionState.OPEN) {
            return state.map(open -> new Found(open, Set.of(), Set.of()));
        }
        Map<VersionId, Set<ChunkId>> byNamer = namers(state.get(), owner, chunks);
        Set<ChunkId> named = new HashSet<>();
        byNamer.values().forEach(named::addAll);
        Set<ChunkId> unnamed = new LinkedHashSet<>(chunks);
        unnamed.removeAll(placed(store, byNamer));
        return Optional.of(new Found(state.get(), unnamed, named));
    }

    /** Returns the chunks of one version that a committed version references. */
    Set<ChunkId> named(VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        Set<ChunkId> named = new HashSet<>();
        if (state.isPresent()) {
            namers(state.get(), owner, chunks).values().forEach(named::addAll);
        }
        return named;
    }

    /**
     * Returns which version references each chunk; unreferenced chunks are left out. A current version references all
     * its own chunks.
     */
    private Map<VersionId, Set<ChunkId>> namers(VersionState state, VersionId owner, Set<ChunkId> chunks)
            throws CloudMwException {
        if (state == VersionState.CURRENT) {
            return Map.of(owner, chunks);
        }
        Set<ChunkId> left = state == VersionState.RETIRED ? catalog.namedElsewhere(owner, chunks) : chunks;
        Map<VersionId, Set<ChunkId>> byNamer = new LinkedHashMap<>();
        for (ChunkId chunk : left) {
            Optional<VersionId> namer = catalog.namer(chunk);
            if (namer.isPresent()) {
                byNamer.computeIfAbsent(namer.get(), ignored -> new LinkedHashSet<>())
                        .add(chunk);
            }
        }
        return byNamer;
    }

    /** Returns the chunks of which the referencing manifest, with its records, has a copy in this store. */
    private Set<ChunkId> placed(StoreId store, Map<VersionId, Set<ChunkId>> byNamer) throws CloudMwException {
        Set<ChunkId> placed = new HashSet<>();
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byNamer.entrySet()) {
            Set<ChunkId> found = new HashSet<>();
            for (ChunkWalk.Stretch stretch : ManifestLookup.find(catalog, entry.getKey(), entry.getValue())) {
                for (CurrentReplicas copies : stretch.chunks()) {
                    found.add(copies.chunk().id());
                    if (copies.stores().contains(store)) {
                        placed.add(copies.chunk().id());
                    }
                }
            }
            // A chunk that is referenced but cannot be looked up now is treated as placed.
            entry.getValue().stream().filter(chunk -> !found.contains(chunk)).forEach(placed::add);
        }
        return placed;
    }
}
