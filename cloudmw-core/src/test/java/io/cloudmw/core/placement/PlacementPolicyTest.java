package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PlacementPolicyTest {
    private final Random random = new Random(42);

    /** Over random clusters: k different stores in the volume's order, as many domains as possible, owed counted. */
    @Test
    void placementsInAnyClusterObeyTheRules() throws Exception {
        for (int round = 0; round < 5_000; round++) {
            List<StoreCandidate> candidates = cluster(1 + random.nextInt(12));
            int replicas = 1 + random.nextInt(candidates.size());
            long usable = candidates.stream().filter(StoreCandidate::usable).count();
            int quorum = 1 + random.nextInt(replicas);
            ChunkId chunk = chunk();
            if (usable < quorum) {
                assertThatThrownBy(() -> PlacementPolicy.requireQuorum("f", candidates, quorum))
                        .isInstanceOfSatisfying(
                                CloudMwException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET));
                continue;
            }
            PlacementPolicy.requireQuorum("f", candidates, quorum);
            PlacedReplicas placed = PlacementPolicy.place(chunk, candidates, replicas);
            assertThat(placed).isEqualTo(PlacementPolicy.place(chunk, candidates, replicas));
            assertThat(placed.stores()).hasSize(replicas).doesNotHaveDuplicates();
            List<StoreId> order = candidates.stream().map(c -> c.store().id()).toList();
            assertThat(placed.stores()).isSortedAccordingTo((a, b) -> order.indexOf(a) - order.indexOf(b));
            assertThat(placed.owed()).hasSize((int) Math.max(0, replicas - usable));
            assertThat(domains(candidates, placed.stores(), true))
                    .isEqualTo(Math.min(domains(candidates, order, true), Math.min(replicas, usable)));
        }
    }

    @Test
    void fewerStoresThanReplicasIsAnError() {
        List<StoreCandidate> stores = List.of(
                candidate("a", "x", true, 1),
                candidate("b", "x", true, 1),
                candidate("a", "x", true, 1),
                candidate("c", "x", false, 1));
        assertThatThrownBy(() -> PlacementPolicy.requireEnough(stores, 3))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENOUGH_STORES))
                .hasMessage(
                        "3 replicas need 3 stores, and 2 can be used (add stores: \"cloudmw store add\" for a bucket,"
                                + " a helper's --disk for a disk; or ask for only 2 with --replicas); not c (away)");
    }

    @Test
    void aMissedQuorumNamesTheStoresThatAreNotThereUpToALimit() {
        List<StoreCandidate> candidates = new ArrayList<>();
        for (int i = 0; i < PlacementPolicy.MAX_NAMED + 2; i++) {
            candidates.add(candidate("s" + i, "x", i == 0, 1));
        }
        assertThatThrownBy(() -> PlacementPolicy.requireQuorum("v:/f, volume v", candidates, 2))
                .hasMessageStartingWith(
                        "v:/f, volume v: 1 of 10 stores can be written to now (expected: >= 2, the write"
                                + " quorum); not s1 (away), s2 (away)")
                .hasMessageEndingWith("s8 (away), and 1 more");
    }

    @Test
    void chunksSpreadByWeight() throws Exception {
        List<StoreCandidate> candidates =
                List.of(candidate("a", "x", true, 1), candidate("b", "y", true, 1), candidate("c", "z", true, 2));
        Map<StoreId, Integer> counts = new HashMap<>();
        for (int i = 0; i < 8_000; i++) {
            for (StoreId store : PlacementPolicy.place(chunk(), candidates, 1).stores()) {
                counts.merge(store, 1, Integer::sum);
            }
        }
        assertThat(counts.get(new StoreId("a"))).isBetween(1_800, 2_200);
        assertThat(counts.get(new StoreId("b"))).isBetween(1_800, 2_200);
        assertThat(counts.get(new StoreId("c"))).isBetween(3_800, 4_200);
    }

    @Test
    void aStoreThatLeavesMovesOnlyItsOwnReplicas() throws Exception {
        List<StoreCandidate> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(candidate("s" + i, "d" + i, true, 1));
        }
        List<StoreCandidate> fewer = all.subList(0, 7);
        StoreId gone = all.get(7).store().id();
        for (int i = 0; i < 500; i++) {
            ChunkId chunk = chunk();
            Set<StoreId> before =
                    new HashSet<>(PlacementPolicy.place(chunk, all, 3).stores());
            Set<StoreId> after =
                    new HashSet<>(PlacementPolicy.place(chunk, fewer, 3).stores());
            before.remove(gone);
            assertThat(after).containsAll(before);
        }
    }

    private List<StoreCandidate> cluster(int size) {
        List<StoreCandidate> candidates = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            candidates.add(
                    candidate("s" + i, "d" + random.nextInt(4), random.nextInt(5) != 0, 0.1 + random.nextDouble()));
        }
        return candidates;
    }

    private static int domains(List<StoreCandidate> candidates, List<StoreId> among, boolean usable) {
        Set<String> domains = new HashSet<>();
        for (StoreCandidate candidate : candidates) {
            if (among.contains(candidate.store().id()) && candidate.usable() == usable) {
                domains.add(candidate.store().failureDomain());
            }
        }
        return domains.size();
    }

    private ChunkId chunk() {
        return new ChunkId(
                new VersionId(String.format("%016x%016x", random.nextLong(), random.nextLong())), random.nextInt(1000));
    }

    private static StoreCandidate candidate(String id, String domain, boolean usable, double weight) {
        Store store = new Store(new StoreId(id), domain, new Store.S3("b-" + id, "eu-west-1", "", false, ""));
        return new StoreCandidate(store, usable ? "" : "away", weight);
    }
}
