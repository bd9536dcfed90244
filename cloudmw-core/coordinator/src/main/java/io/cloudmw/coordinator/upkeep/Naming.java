package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.VersionState;
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

/** Which copies that lie in stores are named by what the catalog keeps. Decides from the catalog alone; calls block. */
final class Naming {
    private final Catalog catalog;

    Naming(Catalog catalog) {
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
     * Some of one version's chunks that lie in a store.
     *
     * @param state of the version that wrote them
     * @param unnamed those whose copies there nobody names, and will not again but by upkeep's own doing: of a version that is
     *     retired and whose chunks no other has; of one that is current, where its manifest and what is recorded have no copy in
     *     this store. An upload that is open has all it wrote.
     * @param named those that a committed version names, whichever, and wherever their copies are
     */
    record Found(VersionState state, Set<ChunkId> unnamed, Set<ChunkId> named) {}

    /**
     * Looks them up.
     *
     * @param owner the version that wrote them
     * @return empty when nothing is known of it
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

    /** Those of one version's chunks that a committed version names. */
    Set<ChunkId> named(VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        Set<ChunkId> named = new HashSet<>();
        if (state.isPresent()) {
            namers(state.get(), owner, chunks).values().forEach(named::addAll);
        }
        return named;
    }

    /** Who names them: each chunk once, and not those that nobody does. What is current names all it wrote itself. */
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

    /** Those of which the manifest that names them, and what is recorded, has a copy in this store. */
    private Set<ChunkId> placed(StoreId store, Map<VersionId, Set<ChunkId>> byNamer) throws CloudMwException {
        Set<ChunkId> placed = new HashSet<>();
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byNamer.entrySet()) {
            Set<ChunkId> found = new HashSet<>();
            for (Walk.Stretch stretch : Manifests.find(catalog, entry.getKey(), entry.getValue())) {
                for (CurrentReplicas copies : stretch.chunks()) {
                    found.add(copies.chunk().id());
                    if (copies.stores().contains(store)) {
                        placed.add(copies.chunk().id());
                    }
                }
            }
            // What somebody names and cannot be looked up now is not ours to judge.
            entry.getValue().stream().filter(chunk -> !found.contains(chunk)).forEach(placed::add);
        }
        return placed;
    }
}
