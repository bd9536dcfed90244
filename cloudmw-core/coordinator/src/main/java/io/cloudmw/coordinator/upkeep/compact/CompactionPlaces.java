package io.cloudmw.coordinator.upkeep.compact;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.StoreCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The stores between which a pack is compacted.
 *
 * @param chunk of the pack
 * @param sources stores with good copies of the pack
 * @param targets those of them that take the copies of the smaller pack; fewer than {@code wanted} when others cannot
 * @param wanted the copies that the volume has of each chunk
 */
record CompactionPlaces(Chunk chunk, List<Store> sources, List<Store> targets, int wanted) {
    CompactionPlaces {
        sources = List.copyOf(sources);
        targets = List.copyOf(targets);
    }

    /**
     * Finds the stores. Blocks on the catalog.
     *
     * @param stores their present conditions
     * @return empty when the volume was deleted
     */
    static Optional<CompactionPlaces> of(Catalog catalog, FileVersion pack, Map<StoreId, StoreCondition> stores)
            throws CloudMwException {
        Optional<Volume> volume = catalog.volume(pack.file().volume());
        Optional<byte[]> segment = catalog.segment(pack.id(), 0);
        if (volume.isEmpty() || segment.isEmpty()) {
            return Optional.empty();
        }
        CurrentReplicas copies = ReplicaOverlay.of(
                        catalog, ManifestSegment.decode(0, segment.get()).chunks())
                .get(0);
        List<StoreCondition> good = copies.stores().stream()
                .filter(copies::isGood)
                .flatMap(id -> Optional.ofNullable(stores.get(id)).stream())
                .filter(StoreCondition::available)
                .toList();
        List<Store> targets = good.stream()
                .filter(store -> volume.get().stores().contains(store.id()) && store.takes(pack.sizeBytes()))
                .map(store -> store.candidate().store())
                .limit(volume.get().replicas())
                .toList();
        List<Store> sources =
                good.stream().map(store -> store.candidate().store()).toList();
        return Optional.of(new CompactionPlaces(
                copies.located(), sources, targets, volume.get().replicas()));
    }

    /** Returns whether all copies can be made now. Repair first makes the copies that are missing. */
    boolean areEnough() {
        return targets.size() == wanted;
    }
}
