package io.cloudmw.core.upkeep;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.VersionState;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.Copies;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which copies that lie in stores are named by what the catalog keeps. Decides from the catalog alone; calls block. */
final class Naming {
    private final Catalog catalog;

    Naming(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Of one version's chunks that lie in a store, those whose copies there nobody names, and will not again but by upkeep's own
     * doing: of a version that is retired and whose chunks no other has; of one that is current, where its manifest and what is
     * recorded have no copy in this store. An upload that is open has all it wrote.
     *
     * @param owner the version that wrote them; something is known of it
     */
    Set<ChunkId> unnamed(StoreId store, VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        Optional<VersionState> state = catalog.state(owner);
        if (state.isEmpty() || state.get() == VersionState.OPEN) {
            return Set.of();
        }
        Set<ChunkId> needed = state.get() == VersionState.RETIRED ? catalog.namedElsewhere(owner, chunks) : chunks;
        Set<ChunkId> unnamed = new LinkedHashSet<>(chunks);
        unnamed.removeAll(placed(store, needed));
        return unnamed;
    }

    /** Those of one version's chunks that a committed version names, whichever, and wherever their copies are. */
    Set<ChunkId> named(VersionId owner, Set<ChunkId> chunks) throws CloudMwException {
        if (catalog.state(owner).equals(Optional.of(VersionState.RETIRED))) {
            return catalog.namedElsewhere(owner, chunks);
        }
        Set<ChunkId> named = new HashSet<>();
        for (ChunkId chunk : chunks) {
            if (catalog.namer(chunk).isPresent()) {
                named.add(chunk);
            }
        }
        return named;
    }

    /** Those of which the manifest that names them, and what is recorded, has a copy in this store. */
    private Set<ChunkId> placed(StoreId store, Set<ChunkId> chunks) throws CloudMwException {
        Map<VersionId, Set<ChunkId>> byNamer = new LinkedHashMap<>();
        for (ChunkId chunk : chunks) {
            Optional<VersionId> namer = catalog.namer(chunk);
            if (namer.isPresent()) {
                byNamer.computeIfAbsent(namer.get(), ignored -> new LinkedHashSet<>())
                        .add(chunk);
            }
        }
        Set<ChunkId> placed = new HashSet<>();
        for (Map.Entry<VersionId, Set<ChunkId>> entry : byNamer.entrySet()) {
            Set<ChunkId> found = new HashSet<>();
            for (Walk.Stretch stretch : Manifests.find(catalog, entry.getKey(), entry.getValue())) {
                for (Copies copies : stretch.chunks()) {
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
