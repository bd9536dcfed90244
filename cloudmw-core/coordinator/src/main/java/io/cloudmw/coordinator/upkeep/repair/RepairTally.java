package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.upkeep.task.HelperDemand;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.StoreCondition;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The counts of one repair pass. Confined to one thread until the pass has ended. */
final class RepairTally {
    private final SortedMap<Integer, Long> underReplicated = new TreeMap<>();
    private final Map<RepairObstacle, Long> obstacles = new EnumMap<>(RepairObstacle.class);
    private final HelperDemand waits = new HelperDemand();

    /** The copies left in stores that were drained when the pass began. */
    private final SortedMap<StoreId, Long> left = new TreeMap<>();

    /** The copies recorded as missing, for each replaced store. */
    private final Map<StoreId, Long> missing = new HashMap<>();

    /** Creates the counts of a pass over no stores. */
    RepairTally() {
        this(Map.of());
    }

    /** @param stores the conditions of the stores when the pass begins */
    RepairTally(Map<StoreId, StoreCondition> stores) {
        stores.values().stream().filter(StoreCondition::draining).forEach(store -> left.put(store.id(), 0L));
        replaced(stores).forEach(store -> missing.put(store, 0L));
    }

    void add(CurrentReplicas copies) {
        left.replaceAll((store, count) -> count + (copies.stores().contains(store) ? 1 : 0));
        missing.replaceAll((store, count) -> count + (isMissing(copies, store) ? 1 : 0));
    }

    void add(RepairPlan plan, int replicas) {
        if (plan.good() < replicas) {
            underReplicated.merge(plan.good(), 1L, Long::sum);
        }
        plan.obstacle().ifPresent(obstacle -> obstacles.merge(obstacle, 1L, Long::sum));
        if (!plan.closed().isEmpty()) {
            waits.add(ids(plan.sources()), ids(plan.closed()));
        }
    }

    SortedMap<Integer, Long> underReplicated() {
        return new TreeMap<>(underReplicated);
    }

    Map<RepairObstacle, Long> obstacles() {
        return Map.copyOf(obstacles);
    }

    HelperDemand waits() {
        return waits;
    }

    SortedMap<StoreId, Long> left() {
        return new TreeMap<>(left);
    }

    Map<StoreId, Long> missing() {
        return Map.copyOf(missing);
    }

    /** Returns the stores whose disk or bucket was replaced. */
    static List<StoreId> replaced(Map<StoreId, StoreCondition> stores) {
        return stores.values().stream()
                .filter(store -> store.identity().replacedAtMillis() > 0)
                .map(StoreCondition::id)
                .toList();
    }

    static boolean isMissing(CurrentReplicas copies, StoreId store) {
        return copies.record(store)
                .filter(record -> record.state() == ReplicaState.MISSING)
                .isPresent();
    }

    private static List<StoreId> ids(List<Store> stores) {
        return stores.stream().map(Store::id).toList();
    }
}
