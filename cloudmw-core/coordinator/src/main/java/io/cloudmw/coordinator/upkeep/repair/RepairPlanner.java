package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.placement.PlacementPolicy;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The planner of a chunk's copies: k good copies, in different stores and failure domains where possible. Pure: the
 * same copies and conditions give the same plan.
 *
 * <p>A copy is made again when it is missing, corrupt, overdue, or in a lost or drained store. The new copy goes to the
 * same store if that store can take it and placement prefers it, otherwise elsewhere. Copies are dropped only when k
 * good copies are recorded, so that at no moment fewer are known than before.
 */
final class RepairPlanner {
    private final long owedAfterMillis;

    RepairPlanner(long owedAfterMillis) {
        this.owedAfterMillis = owedAfterMillis;
    }

    /**
     * The conditions of planning.
     *
     * @param stores all existing stores of the volume, by id
     */
    record Situation(Map<StoreId, StoreCondition> stores, ReuseRule reuse, CopyRule ways, long nowMillis) {}

    /** A function that returns whether some helper can make a copy. */
    @FunctionalInterface
    interface CopyRule {
        boolean exists(List<Store> sources, Store target);
    }

    /**
     * The targets of new copies.
     *
     * @param chosen the best stores
     * @param closed where further copies would go, if a helper could use these stores and a source
     */
    private record Targets(List<Store> chosen, List<Store> closed) {
        static final Targets NONE = new Targets(List.of(), List.of());
    }

    /** A rule that excludes places in which a copy may still be deleted. */
    @FunctionalInterface
    interface ReuseRule {
        /**
         * Returns whether a copy may be made in this store.
         *
         * @param record the record of a copy there
         */
        boolean allows(ChunkId chunk, Store store, Optional<ReplicaRecord> record);
    }

    /** The copies of one chunk, sorted by condition. */
    private static final class SortedCopies {
        private final List<StoreId> kept = new ArrayList<>();
        private final List<StoreId> awaited = new ArrayList<>();
        /** The good copies that are to move elsewhere; they count as long as they are needed. */
        private final List<StoreId> leaving = new ArrayList<>();
        /** The kept copies that can be read now. */
        private final List<StoreId> readable = new ArrayList<>();

        private final List<Store> sources = new ArrayList<>();

        /** Adds a good copy in a store that is not lost. */
        void add(StoreCondition store) {
            (store.keeps() ? kept : leaving).add(store.id());
            if (store.available()) {
                // Stores that keep their copies are read first: a drained store may be slow or about to go.
                sources.add(
                        store.keeps() ? readable.size() : sources.size(),
                        store.candidate().store());
            }
            if (store.keeps() && store.available()) {
                readable.add(store.id());
            }
        }
    }

    RepairPlan plan(CurrentReplicas copies, int replicas, Situation now) {
        SortedCopies sorted = sort(copies, now);
        int missing = replicas - sorted.kept.size();
        int wanted = missing - sorted.awaited.size();
        Targets targets = wanted > 0 && !sorted.sources.isEmpty() ? targets(copies, sorted, wanted, now) : Targets.NONE;
        return new RepairPlan(
                sorted.kept.size() + sorted.leaving.size(),
                sorted.sources,
                targets.chosen(),
                sorted.readable.size() >= replicas ? drops(copies, sorted, replicas, now) : lost(copies, sorted, now),
                obstacle(missing, wanted, targets, sorted.sources.isEmpty()),
                targets.closed());
    }

    private SortedCopies sort(CurrentReplicas copies, Situation now) {
        SortedCopies sorted = new SortedCopies();
        for (StoreId id : copies.stores()) {
            StoreCondition store = now.stores().get(id);
            if (store == null || store.lost()) {
                continue;
            }
            if (copies.isGood(id)) {
                sorted.add(store);
            } else if (store.keeps() && isAwaited(copies.record(id), store, now.nowMillis())) {
                sorted.awaited.add(id);
            }
        }
        return sorted;
    }

    private boolean isAwaited(Optional<ReplicaRecord> record, StoreCondition store, long nowMillis) {
        return record.isPresent()
                && record.get().state() == ReplicaState.OWED
                && (!store.available() || nowMillis - record.get().sinceMillis() < owedAfterMillis);
    }

    private static Targets targets(CurrentReplicas copies, SortedCopies sorted, int wanted, Situation now) {
        List<StoreCandidate> candidates = new ArrayList<>();
        List<StoreCandidate> closed = new ArrayList<>();
        List<String> domains = new ArrayList<>();
        now.stores().forEach((id, store) -> {
            if (sorted.kept.contains(id) || sorted.awaited.contains(id)) {
                domains.add(store.candidate().store().failureDomain());
            } else if (store.takes(copies.chunk().range().length())
                    && now.reuse().allows(copies.chunk().id(), store.candidate().store(), copies.record(id))) {
                boolean open =
                        now.ways().exists(sorted.sources, store.candidate().store());
                (open ? candidates : closed).add(store.candidate());
            }
        });
        List<Store> chosen = PlacementPolicy.more(copies.chunk().id(), candidates, wanted, domains);
        return new Targets(
                chosen,
                chosen.size() < wanted
                        ? closed.stream().map(StoreCandidate::store).toList()
                        : List.of());
    }

    /**
     * Returns the copies to drop once k copies can be read now: those not kept, and kept ones beyond k. Copies that
     * cannot be read now are dropped first, since their store may be lost already. Copies made by upkeep follow, then
     * those of writers.
     */
    private static List<ReplicaRecord> drops(CurrentReplicas copies, SortedCopies sorted, int replicas, Situation now) {
        List<StoreId> kept = new ArrayList<>(sorted.kept);
        while (kept.size() > replicas) {
            kept.remove(leastNeeded(copies, sorted, kept, now));
        }
        return dropped(copies, now, id -> !kept.contains(id));
    }

    /** Returns the kept copy that is needed least: first one that may fail together with another. */
    private static StoreId leastNeeded(CurrentReplicas copies, SortedCopies sorted, List<StoreId> kept, Situation now) {
        Map<String, Integer> domains = new HashMap<>();
        kept.forEach(id -> domains.merge(domain(id, now), 1, Integer::sum));
        return kept.stream()
                .min(Comparator.comparing((StoreId id) -> sorted.readable.contains(id))
                        .thenComparing(id -> domains.getOrDefault(domain(id, now), 0) < 2)
                        .thenComparing(id -> copies.chunk().replicas().contains(id)))
                .orElseThrow();
    }

    private static String domain(StoreId id, Situation now) {
        StoreCondition store = now.stores().get(id);
        return store == null ? "" : store.candidate().store().failureDomain();
    }

    /**
     * Returns the copies in stores that are lost for good, however few others there are; the last copies stay known.
     */
    private static List<ReplicaRecord> lost(CurrentReplicas copies, SortedCopies sorted, Situation now) {
        boolean others = !sorted.kept.isEmpty() || !sorted.leaving.isEmpty();
        return others ? dropped(copies, now, id -> isGone(id, now)) : List.of();
    }

    private static boolean isGone(StoreId id, Situation now) {
        StoreCondition store = now.stores().get(id);
        return store != null && store.candidate().store().isLost();
    }

    private static List<ReplicaRecord> dropped(CurrentReplicas copies, Situation now, Predicate<StoreId> which) {
        return copies.stores().stream()
                .filter(which)
                .map(id -> new ReplicaRecord(copies.chunk().id(), id, ReplicaState.DROPPED, now.nowMillis()))
                .toList();
    }

    private static Optional<RepairObstacle> obstacle(int missing, int wanted, Targets targets, boolean noSource) {
        if (missing <= 0) {
            return Optional.empty();
        }
        if (wanted <= 0) {
            return Optional.of(RepairObstacle.AWAITED);
        }
        if (noSource) {
            return Optional.of(RepairObstacle.NO_SOURCE);
        }
        if (!targets.closed().isEmpty()) {
            return Optional.of(RepairObstacle.NO_HELPER);
        }
        return targets.chosen().size() < wanted ? Optional.of(RepairObstacle.NO_TARGET) : Optional.empty();
    }
}
