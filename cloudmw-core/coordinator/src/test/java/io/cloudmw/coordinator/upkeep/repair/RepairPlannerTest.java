package io.cloudmw.coordinator.upkeep.repair;

import static io.cloudmw.coordinator.upkeep.UpkeepSamples.away;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.disk;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.draining;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.full;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.id;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.lost;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.record;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.stores;
import static io.cloudmw.coordinator.upkeep.UpkeepSamples.up;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.upkeep.UpkeepSamples;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RepairPlannerTest {
    private static final int OWED_AFTER = 1000;

    private static final RepairPlanner.ReuseRule ANYWHERE = (chunk, store, record) -> true;
    private static final RepairPlanner.CopyRule ANYBODY = (sources, target) -> true;

    private final RepairPlanner planner = new RepairPlanner(OWED_AFTER);
    private final Chunk chunk = UpkeepSamples.chunk("a", "b", "c");

    private RepairPlan plan(Map<StoreId, StoreCondition> stores, ReplicaRecord... records) {
        return plan(stores, 10, records);
    }

    private RepairPlan plan(Map<StoreId, StoreCondition> stores, long nowMillis, ReplicaRecord... records) {
        return planner.plan(
                CurrentReplicas.of(chunk, List.of(records)),
                3,
                new RepairPlanner.Situation(stores, ANYWHERE, ANYBODY, nowMillis));
    }

    private static Map<StoreId, StoreCondition> allUp() {
        return stores(up(disk("a")), up(disk("b")), up(disk("c")), up(disk("d")));
    }

    @Test
    void completeChunkNeedsNothing() {
        RepairPlan plan = plan(allUp());
        assertThat(plan.good()).isEqualTo(3);
        assertThat(plan.targets()).isEmpty();
        assertThat(plan.drops()).isEmpty();
        assertThat(plan.obstacle()).isEmpty();
    }

    @Test
    void badCopyIsMadeAgainFromGoodOnes() {
        for (ReplicaState state : List.of(ReplicaState.CORRUPT, ReplicaState.MISSING)) {
            RepairPlan plan = plan(allUp(), record(chunk, "b", state));
            assertThat(plan.good()).isEqualTo(2);
            assertThat(plan.sources()).containsExactly(disk("a"), disk("c"));
            assertThat(plan.targets()).hasSize(1).isSubsetOf(disk("b"), disk("d"));
        }
    }

    @Test
    void brieflyAbsentStoreKeepsItsCopies() {
        RepairPlan plan = plan(stores(up(disk("a")), away(disk("b")), up(disk("c")), up(disk("d"))));
        assertThat(plan.good()).isEqualTo(3);
        assertThat(plan.targets()).isEmpty();
        assertThat(plan.sources()).doesNotContain(disk("b"));
    }

    @Test
    void copiesOfALostStoreAreMadeElsewhere() {
        RepairPlan plan = plan(stores(up(disk("a")), lost(disk("b")), up(disk("c")), up(disk("d"))));
        assertThat(plan.good()).isEqualTo(2);
        assertThat(plan.targets()).containsExactly(disk("d"));
        assertThat(plan.drops()).as("not before there are three").isEmpty();
    }

    @Test
    void superfluousCopiesAreDroppedOnceThereAreEnough() {
        RepairPlan plan = plan(
                stores(up(disk("a")), lost(disk("b")), up(disk("c")), up(disk("d"))),
                record(chunk, "d", ReplicaState.MOVED));
        assertThat(plan.drops()).containsExactly(new ReplicaRecord(chunk.id(), id("b"), ReplicaState.DROPPED, 10));
    }

    @Test
    void movedCopyIsDroppedFirst() {
        RepairPlan plan = plan(allUp(), record(chunk, "d", ReplicaState.MOVED));
        assertThat(plan.good()).isEqualTo(4);
        assertThat(plan.drops()).containsExactly(new ReplicaRecord(chunk.id(), id("d"), ReplicaState.DROPPED, 10));
    }

    @Test
    void unreadableCopiesCauseNoDropsAndAreDroppedFirst() {
        RepairPlan few = plan(
                stores(up(disk("a")), away(disk("b")), up(disk("c")), away(disk("d"))),
                record(chunk, "d", ReplicaState.MOVED));
        assertThat(few.good()).isEqualTo(4);
        assertThat(few.drops()).as("two can be read").isEmpty();

        RepairPlan enough = plan(
                stores(up(disk("a")), away(disk("b")), up(disk("c")), up(disk("d"))),
                record(chunk, "d", ReplicaState.MOVED));
        assertThat(enough.drops()).containsExactly(new ReplicaRecord(chunk.id(), id("b"), ReplicaState.DROPPED, 10));
    }

    @Test
    void owedCopyIsAwaitedForAWhile() {
        ReplicaRecord owed = record(chunk, "c", ReplicaState.OWED);
        RepairPlan young = plan(allUp(), OWED_AFTER - 1, owed);
        assertThat(young.targets()).isEmpty();
        assertThat(young.obstacle()).contains(RepairObstacle.AWAITED);
        assertThat(plan(allUp(), OWED_AFTER, owed).targets()).hasSize(1);
    }

    @Test
    void owedCopyInAnAbsentStoreIsAwaitedUntilTheStoreIsLost() {
        ReplicaRecord owed = record(chunk, "c", ReplicaState.OWED);
        Map<StoreId, StoreCondition> brief = stores(up(disk("a")), up(disk("b")), away(disk("c")), up(disk("d")));
        assertThat(plan(brief, 99 * OWED_AFTER, owed).obstacle()).contains(RepairObstacle.AWAITED);
        Map<StoreId, StoreCondition> gone = stores(up(disk("a")), up(disk("b")), lost(disk("c")), up(disk("d")));
        assertThat(plan(gone, 1, owed).targets()).containsExactly(disk("d"));
    }

    @Test
    void anotherFailureDomainComesFirst() {
        Store sameRack = new Store(id("aa"), "domain-a", disk("aa").kind());
        RepairPlan plan = plan(stores(up(sameRack), up(disk("a")), lost(disk("b")), up(disk("c")), up(disk("z"))));
        assertThat(plan.targets()).containsExactly(disk("z"));
    }

    @Test
    void missingSourceOrTargetIsReported() {
        RepairPlan noSource = plan(stores(lost(disk("a")), lost(disk("b")), lost(disk("c")), up(disk("d"))));
        assertThat(noSource.obstacle()).contains(RepairObstacle.NO_SOURCE);
        assertThat(noSource.targets()).isEmpty();
        RepairPlan noTarget = plan(stores(up(disk("a")), lost(disk("b")), up(disk("c")), full(disk("d"))));
        assertThat(noTarget.obstacle()).contains(RepairObstacle.NO_TARGET);
    }

    /** Regression: the preferred store was planned again and again, whether a helper could use it or not. */
    @Test
    void storeThatNoHelperCanCopyToIsSkippedForAnother() {
        Map<StoreId, StoreCondition> stores =
                stores(up(disk("a")), lost(disk("b")), up(disk("c")), up(disk("d")), up(disk("e")));
        CurrentReplicas copies = CurrentReplicas.of(chunk, List.of());
        for (String closed : List.of("d", "e")) {
            RepairPlanner.CopyRule ways = (sources, target) -> {
                assertThat(sources).containsExactly(disk("a"), disk("c"));
                return !target.equals(disk(closed));
            };
            RepairPlan plan = planner.plan(copies, 3, new RepairPlanner.Situation(stores, ANYWHERE, ways, 0));
            assertThat(plan.targets()).containsExactly(disk(closed.equals("d") ? "e" : "d"));
            assertThat(plan.obstacle()).isEmpty();
            assertThat(plan.closed()).isEmpty();
        }
        RepairPlanner.CopyRule none = (sources, target) -> false;
        RepairPlan plan = planner.plan(copies, 3, new RepairPlanner.Situation(stores, ANYWHERE, none, 0));
        assertThat(plan.targets()).isEmpty();
        assertThat(plan.obstacle()).contains(RepairObstacle.NO_HELPER);
        assertThat(plan.closed()).containsExactlyInAnyOrder(disk("d"), disk("e"));
    }

    @Test
    void drainedStoresCopiesAreCopiedElsewhereAndOnlyThenDropped() {
        Map<StoreId, StoreCondition> stores =
                stores(up(disk("a")), draining(up(disk("b"))), up(disk("c")), up(disk("d")));
        RepairPlan plan = plan(stores);
        assertThat(plan.targets()).containsExactly(disk("d"));
        assertThat(plan.good()).as("no less urgent copies wait for it").isEqualTo(3);
        assertThat(plan.sources()).containsExactly(disk("a"), disk("c"), disk("b"));
        assertThat(plan.drops()).isEmpty();

        CurrentReplicas moved = CurrentReplicas.of(chunk, List.of(record(chunk, "d", ReplicaState.MOVED)));
        RepairPlan then = planner.plan(moved, 3, new RepairPlanner.Situation(stores, ANYWHERE, ANYBODY, 0));
        assertThat(then.targets()).isEmpty();
        assertThat(then.drops()).extracting(ReplicaRecord::store).containsExactly(id("b"));
    }

    @Test
    void drainedStoreTakesNothingAndKeepsItsCopiesWhileThereIsNoOther() {
        RepairPlan plan = plan(stores(up(disk("a")), draining(up(disk("b"))), up(disk("c")), draining(up(disk("d")))));
        assertThat(plan.targets()).isEmpty();
        assertThat(plan.drops()).isEmpty();
        assertThat(plan.obstacle()).contains(RepairObstacle.NO_TARGET);
    }

    @Test
    void lastCopyIsReadFromADrainedStore() {
        RepairPlan plan = plan(stores(lost(disk("a")), draining(up(disk("b"))), lost(disk("c")), up(disk("d"))));
        assertThat(plan.sources()).containsExactly(disk("b"));
        assertThat(plan.targets()).containsExactly(disk("d"));
        assertThat(plan.good()).isOne();
    }

    @Test
    void storeWithoutRoomIsNoTarget() {
        StoreCondition tight = new StoreCondition(
                new StoreCandidate(disk("d"), "", 1), chunk.range().length() - 1, true, Duration.ZERO, false, false);
        RepairPlan plan = plan(stores(up(disk("a")), lost(disk("b")), up(disk("c")), tight));
        assertThat(plan.obstacle()).contains(RepairObstacle.NO_TARGET);
    }

    /** Another store is chosen, though it comes later in order. */
    @Test
    void noCopyIsMadeWhereOneMayStillBeDeleted() {
        Map<StoreId, StoreCondition> stores =
                stores(up(disk("a")), lost(disk("b")), up(disk("c")), up(disk("d")), up(disk("e")));
        CurrentReplicas copies = CurrentReplicas.of(chunk, List.of(record(chunk, "d", ReplicaState.DROPPED)));
        for (String taken : List.of("d", "e")) {
            RepairPlanner.ReuseRule reuse = (about, store, record) -> {
                assertThat(about).isEqualTo(chunk.id());
                assertThat(record.isPresent()).isEqualTo(store.equals(disk("d")));
                return !store.equals(disk(taken));
            };
            assertThat(planner.plan(copies, 3, new RepairPlanner.Situation(stores, reuse, ANYBODY, 0))
                            .targets())
                    .containsExactly(disk(taken.equals("d") ? "e" : "d"));
        }
    }

    /**
     * Stores come and go, copies go bad, and tasks succeed or fail. No good copy is lost, and in quiet times the chunk
     * heals.
     */
    @Test
    void randomFailuresLoseNoGoodCopyAndTheChunkHeals() {
        for (long seed = 0; seed < 300; seed++) {
            new World(seed).run();
        }
    }

    private final class World {
        private static final int REPLICAS = 3;
        private final Random random;
        private final long seed;
        private final List<String> names = List.of("a", "b", "c", "d", "e", "f");
        private final Map<String, Integer> health = new LinkedHashMap<>();
        private final Set<String> drained = new HashSet<>();
        /** The stores that have the right bytes. */
        private final Set<String> bytes = new HashSet<>(Set.of("a", "b", "c"));

        private CurrentReplicas copies = CurrentReplicas.of(chunk, List.of());

        World(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            names.forEach(name -> health.put(name, 0));
        }

        void run() {
            for (int round = 0; round < 60; round++) {
                disturb();
                repair(round, random.nextInt(4) > 0);
            }
            health.replaceAll((name, before) -> 0);
            while (drained.size() > REPLICAS) {
                drained.remove(drained.iterator().next());
            }
            for (int round = 60; round < 70; round++) {
                repair(round, true);
            }
            assertThat(copies.stores()).as("seed %s: %s", seed, copies.stores()).hasSize(REPLICAS);
            assertThat(copies.faulty()).as("seed %s", seed).isEmpty();
            assertThat(copies.stores()).as("seed %s", seed).noneMatch(store -> drained.contains(store.value()));
            assertThat(copies.stores()).allSatisfy(store -> assertThat(bytes).contains(store.value()));
        }

        /** Changes one store, or damages and reports one copy, as long as another good one is left. */
        private void disturb() {
            String name = names.get(random.nextInt(names.size()));
            if (random.nextInt(8) == 0 && !drained.remove(name)) {
                drained.add(name);
                return;
            }
            if (random.nextBoolean()) {
                health.put(name, random.nextInt(3));
                return;
            }
            long good = copies.stores().stream()
                    .filter(store -> copies.isGood(store) && bytes.contains(store.value()))
                    .count();
            if (copies.isGood(id(name)) && good > 1) {
                bytes.remove(name);
                copies = copies.with(List.of(record(chunk, name, ReplicaState.CORRUPT)));
            }
        }

        private void repair(long now, boolean works) {
            Map<StoreId, StoreCondition> conditions = new LinkedHashMap<>();
            health.forEach((name, state) -> conditions.put(
                    id(name),
                    new StoreCondition(
                            new StoreCandidate(disk(name), state == 0 ? "" : "away", 1),
                            Long.MAX_VALUE,
                            state == 0,
                            Duration.ofSeconds(state),
                            state == 2,
                            drained.contains(name))));
            RepairPlanner.Situation situation = new RepairPlanner.Situation(conditions, ANYWHERE, ANYBODY, now);
            RepairPlan plan = planner.plan(copies, REPLICAS, situation);
            apply(plan.drops(), conditions);
            assertThat(plan.targets())
                    .as("seed %s", seed)
                    .allSatisfy(target ->
                            assertThat(health).containsEntry(target.id().value(), 0));
            if (works) {
                for (Store target : plan.targets()) {
                    assertThat(plan.sources()).isNotEmpty();
                    bytes.add(target.id().value());
                    List<ReplicaRecord> changes = new ArrayList<>(List.of(copies.arrived(target.id(), now)));
                    CurrentReplicas after = copies.with(changes);
                    List<ReplicaRecord> drops =
                            planner.plan(after, REPLICAS, situation).drops();
                    copies = after;
                    apply(drops, conditions);
                }
            }
        }

        private void apply(List<ReplicaRecord> drops, Map<StoreId, StoreCondition> conditions) {
            copies = copies.with(drops);
            long counted = copies.stores().stream()
                    .filter(store -> copies.isGood(store)
                            && conditions.containsKey(store)
                            && !conditions.get(store).lost())
                    .count();
            if (!drops.isEmpty()) {
                assertThat(counted).as("seed %s", seed).isGreaterThanOrEqualTo(REPLICAS);
            }
        }
    }
}
