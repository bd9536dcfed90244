package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.Candidate;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.placement.PlacementPolicy;
import io.cloudmw.core.upkeep.Obstacle;
import io.cloudmw.core.upkeep.StoreCondition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides what is to be done so that a chunk has its k good copies, in different stores and failure domains where there
 * are such. Pure: the same copies and conditions give the same plan.
 *
 * <p>A copy that is missing or corrupt, overdue, or in a store that is lost or drained is made anew: where it was if that store can take it and
 * placement prefers it, elsewhere otherwise. Only when k good copies are recorded are those that do not count dropped, so
 * that at no moment fewer are known than before.
 */
final class RepairPlanner {
    private final long owedAfterMillis;

    RepairPlanner(long owedAfterMillis) {
        this.owedAfterMillis = owedAfterMillis;
    }

    /**
     * How things stand.
     *
     * @param stores all of the volume that there are, by id
     */
    record Situation(Map<StoreId, StoreCondition> stores, Reuse reuse, Ways ways, long nowMillis) {}

    /** Says whether some helper can make a copy. */
    @FunctionalInterface
    interface Ways {
        boolean exists(List<Store> sources, Store target);
    }

    /**
     * Where copies go.
     *
     * @param chosen the best ones
     * @param closed where further copies would go, if a helper could use these stores and a source
     */
    private record Targets(List<Store> chosen, List<Store> closed) {
        static final Targets NONE = new Targets(List.of(), List.of());
    }

    /** Says where no copy is to be made now: where somebody may still be about to delete one. */
    @FunctionalInterface
    interface Reuse {
        /**
         * Whether a copy may be made there.
         *
         * @param record what is recorded of a copy there
         */
        boolean allows(ChunkId chunk, Store store, Optional<ReplicaRecord> record);
    }

    /** One chunk's copies, told apart. */
    private static final class Sorted {
        private final List<StoreId> kept = new ArrayList<>();
        private final List<StoreId> awaited = new ArrayList<>();
        /** Good ones that are to go elsewhere: they count as long as they are needed. */
        private final List<StoreId> leaving = new ArrayList<>();
        /** Of those that are kept: the ones that can be read now. */
        private final List<StoreId> readable = new ArrayList<>();

        private final List<Store> sources = new ArrayList<>();

        /** A good copy in a store that is not lost. */
        void add(StoreCondition store) {
            (store.keeps() ? kept : leaving).add(store.id());
            if (store.available()) {
                // Where they stay is read first: a store may be drained because it is slow or about to go.
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
        Sorted sorted = sort(copies, now);
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

    private Sorted sort(CurrentReplicas copies, Situation now) {
        Sorted sorted = new Sorted();
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

    private static Targets targets(CurrentReplicas copies, Sorted sorted, int wanted, Situation now) {
        List<Candidate> candidates = new ArrayList<>();
        List<Candidate> closed = new ArrayList<>();
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
                chosen.size() < wanted ? closed.stream().map(Candidate::store).toList() : List.of());
    }

    /**
     * Once k copies can be read now: all that are not kept, and of those that are what is beyond k. First what cannot be
     * read now (its store may just not be known to be lost yet), then where upkeep had put them, then where writers had.
     */
    private static List<ReplicaRecord> drops(CurrentReplicas copies, Sorted sorted, int replicas, Situation now) {
        List<StoreId> kept = new ArrayList<>(sorted.kept);
        while (kept.size() > replicas) {
            kept.remove(leastNeeded(copies, sorted, kept, now));
        }
        return dropped(copies, now, id -> !kept.contains(id));
    }

    /** The copy to do without among those that are kept: first where another one may fail together with it. */
    private static StoreId leastNeeded(CurrentReplicas copies, Sorted sorted, List<StoreId> kept, Situation now) {
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

    /** CurrentReplicas in stores that are gone for good are none, however few others there are; the last of them stay known. */
    private static List<ReplicaRecord> lost(CurrentReplicas copies, Sorted sorted, Situation now) {
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

    private static Optional<Obstacle> obstacle(int missing, int wanted, Targets targets, boolean noSource) {
        if (missing <= 0) {
            return Optional.empty();
        }
        if (wanted <= 0) {
            return Optional.of(Obstacle.AWAITED);
        }
        if (noSource) {
            return Optional.of(Obstacle.NO_SOURCE);
        }
        if (!targets.closed().isEmpty()) {
            return Optional.of(Obstacle.NO_HELPER);
        }
        return targets.chosen().size() < wanted ? Optional.of(Obstacle.NO_TARGET) : Optional.empty();
    }
}
