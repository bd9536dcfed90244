package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.CopyEligibility;
import io.cloudmw.coordinator.upkeep.task.EarlierDeletions;
import io.cloudmw.coordinator.upkeep.task.HelperDemand;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.StoreCondition;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/** The conditions on which repair plans depend. Confined to one thread, except {@link #toDrop} and {@link #backoffs}. */
final class RepairSituations {
    private final UpkeepContext context;
    private final EarlierDeletions earlier;
    private final BiPredicate<ChunkId, StoreId> mayBeDeleted;
    private final StoreBackoffs backoffs;
    private Map<StoreId, StoreCondition> stores = Map.of();
    private CopyEligibility eligibility = new CopyEligibility(List.of(), (helper, store) -> true);

    /**
     * @param earlier the deletions that another coordinator has ordered
     * @param mayBeDeleted whether a helper may still delete a copy; none is made there meanwhile
     */
    RepairSituations(UpkeepContext context, EarlierDeletions earlier, BiPredicate<ChunkId, StoreId> mayBeDeleted) {
        this.context = context;
        this.earlier = earlier;
        this.mayBeDeleted = mayBeDeleted;
        this.backoffs = new StoreBackoffs(context.ticker());
    }

    StoreBackoffs backoffs() {
        return backoffs;
    }

    /** Takes the present conditions of the stores and helpers. */
    void look(Map<StoreId, StoreCondition> now, CopyEligibility eligibilityNow) {
        stores = now;
        eligibility = eligibilityNow;
    }

    Map<StoreId, StoreCondition> stores() {
        return stores;
    }

    /** Returns the conditions under which copies of these chunks are planned. */
    RepairPlanner.Situation toPlan(Volume volume, List<CurrentReplicas> chunks) {
        return situation(volume, chunks, stores, this::mayTake, eligibility::exists);
    }

    /**
     * Returns conditions under which the planner plans drops alone, and no copy.
     *
     * @param conditions the conditions of the stores
     */
    RepairPlanner.Situation toDrop(Volume volume, CurrentReplicas copies, Map<StoreId, StoreCondition> conditions) {
        return situation(
                volume, List.of(copies), conditions, (chunk, store, record) -> false, (sources, target) -> false);
    }

    /** Returns the planning conditions. Copies stay in the volume's stores; copies in other stores are only sources. */
    private RepairPlanner.Situation situation(
            Volume volume,
            List<CurrentReplicas> chunks,
            Map<StoreId, StoreCondition> conditions,
            RepairPlanner.ReuseRule reuse,
            RepairPlanner.CopyRule ways) {
        Map<StoreId, StoreCondition> ofVolume = new LinkedHashMap<>();
        for (StoreId id : volume.stores()) {
            StoreCondition store = conditions.get(id);
            if (store != null) {
                ofVolume.put(id, backoffs.isAvoided(id) ? store.refusing("copies to it failed") : store);
            }
        }
        for (CurrentReplicas copies : chunks) {
            for (StoreId id : copies.stores()) {
                StoreCondition store = conditions.get(id);
                if (store != null) {
                    ofVolume.putIfAbsent(id, store.leaving());
                }
            }
        }
        return new RepairPlanner.Situation(
                ofVolume, reuse, ways, context.clock().millis());
    }

    /** Returns whether a copy may be made: neither this coordinator nor an earlier one may still have one deleted there. */
    private boolean mayTake(ChunkId chunk, Store store, Optional<ReplicaRecord> record) {
        Optional<ReplicaRecord> dropped = record.filter(known -> known.state().isDropped());
        return dropped.map(copy -> earlier.areOver(store, copy)).orElse(true) && !mayBeDeleted.test(chunk, store.id());
    }

    /**
     * Returns the conditions that decide whether chunks can be copied.
     *
     * @param waits what chunks waited for in the last pass
     */
    FullRepairPass.CopyConditions standing(HelperDemand waits) {
        Map<StoreId, List<Boolean>> each = new HashMap<>();
        stores.forEach((id, store) -> each.put(
                id,
                List.of(
                        store.keeps(),
                        store.available(),
                        store.takes(1) && !backoffs.isAvoided(id),
                        earlier.areOver(store.candidate().store()))));
        return new FullRepairPass.CopyConditions(each, waits.open(eligibility, this::store));
    }

    private Optional<Store> store(StoreId id) {
        return Optional.ofNullable(stores.get(id))
                .map(store -> store.candidate().store());
    }
}
