package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.SpeedEntry;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ReadPlannerTest {
    private static final VersionId VERSION = new VersionId("0123456789abcdef0123456789abcdef");

    private final List<Store> threeBuckets = List.of(bucket("s1"), bucket("s2"), bucket("s3"));
    private final List<Store> threeDisks = List.of(disk("d1", "h1"), disk("d2", "h2"), disk("d3", "h3"));

    @Test
    void helperIRacesForReplicaI() {
        List<HelperAddress> helpers = ReadPlanner.helpers("v", threeDisks, 3, helpers(3));
        assertThat(ids(helpers)).containsExactly(id("h1"), id("h2"), id("h3"));
        for (long index = 0; index < 5; index++) {
            assertThat(entrants(threeDisks, helpers, index, Set.of(), false))
                    .containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
        }
    }

    /** Readers of a disk ask its owner, which must be in the plan. */
    @Test
    void switchesLeaveRoomForTheOwnersOfDisks() {
        List<HelperAddress> live = new ArrayList<>(helpers(20));
        for (int number = 21; number <= 60; number++) {
            live.add(new HelperAddress(id("h" + number), "c", "b", VolumeSet.ALL, Location.NONE));
        }
        Set<HelperId> owners = new HashSet<>(ids(helpers(20)));
        List<HelperAddress> switches = ReadPlanner.switches("v", new VolumeName("v"), live, owners);
        assertThat(switches).hasSize(28);
        List<HelperAddress> others = new ArrayList<>(live.subList(20, 60));
        others.addAll(helpers(20));
        List<HelperAddress> plan = ReadPlanner.behind(switches, others, owners);
        assertThat(plan).hasSize(48).startsWith(switches.toArray(HelperAddress[]::new));
        assertThat(ids(plan)).containsAll(owners);
    }

    /** Switches that are owners do not take the places of others. */
    @Test
    void ownersMayAllBeSwitches() {
        List<HelperAddress> live = new ArrayList<>();
        for (int number = 1; number <= 48; number++) {
            live.add(new HelperAddress(id("h" + number), "c", "b", VolumeSet.ALL, Location.NONE));
        }
        assertThat(ReadPlanner.switches("v", new VolumeName("v"), live, new HashSet<>(ids(live))))
                .hasSize(32);
    }

    private static HelperAddress at(String name, String location) {
        return new HelperAddress(id(name), "c", "b", VolumeSet.ALL, Location.parse(location));
    }

    @Test
    void theNearestSwitchIsTheOneThatSharesTheMostLabels() {
        List<HelperAddress> switches = List.of(at("a", "z1/r1/h1"), at("b", "z1/r2/h2"), at("c", "z2/r1/h3"));
        for (long turn = 0; turn < 10; turn++) {
            assertThat(ReadPlanner.near(switches, Location.parse("z1/r2/h2"), id -> 0, turn))
                    .hasValue(1);
            assertThat(ReadPlanner.near(switches, Location.parse("z2"), id -> 0, turn))
                    .hasValue(2);
            assertThat(ReadPlanner.near(switches, Location.parse("z3/r1/h1"), id -> 0, turn))
                    .isEmpty();
            assertThat(ReadPlanner.near(switches, Location.NONE, id -> 0, turn)).isEmpty();
        }
    }

    @Test
    void theLessLoadedOfTwoEquallyNearSwitchesIsTaken() {
        List<HelperAddress> switches = List.of(at("a", "z/h1"), at("b", "z/h2"), at("c", "z/h3"));
        int[] taken = new int[3];
        int[] busy = new int[3];
        for (long turn = 0; turn < 300; turn++) {
            taken[
                    ReadPlanner.near(switches, Location.parse("z/h9"), id -> 0, turn)
                            .orElseThrow()]++;
            busy[
                    ReadPlanner.near(switches, Location.parse("z/h9"), id -> id.equals(id("b")) ? 5 : 0, turn)
                            .orElseThrow()]++;
        }
        assertThat(taken).containsOnly(100);
        assertThat(busy[1]).isLessThan(50);
    }

    @Test
    void helpersTakeAnotherReplicaInEachRoundWithRotation() {
        List<HelperAddress> helpers = ReadPlanner.helpers("v", threeBuckets, 3, helpers(3));
        assertThat(entrants(threeBuckets, helpers, 0, Set.of(), true))
                .containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
        assertThat(entrants(threeBuckets, helpers, 1, Set.of(), true))
                .containsExactly(entrant(0, 1), entrant(1, 2), entrant(2, 0));
        assertThat(entrants(threeBuckets, helpers, 5, Set.of(), true))
                .containsExactly(entrant(0, 2), entrant(1, 0), entrant(2, 1));
    }

    @Test
    void badReplicasGetNoEntrant() {
        List<HelperAddress> helpers = ReadPlanner.helpers("v", threeDisks, 3, helpers(3));
        assertThat(entrants(threeDisks, helpers, 0, Set.of(new StoreId("d2")), false))
                .containsExactly(entrant(0, 0), entrant(2, 2));
    }

    @Test
    void aDiskWhoseOwnerIsGoneIsNotRacedFor() {
        List<HelperAddress> two = helpers(3).subList(0, 2);
        List<HelperAddress> helpers = ReadPlanner.helpers("v", threeDisks, 3, two);
        assertThat(ids(helpers)).containsExactly(id("h1"), id("h2"));
        assertThat(entrants(threeDisks, helpers, 0, Set.of(), false)).containsExactly(entrant(0, 0), entrant(1, 1));
    }

    @Test
    void aSingleHelperRacesForASingleReplica() {
        List<HelperAddress> helpers = ReadPlanner.helpers("v", threeBuckets, 3, helpers(1));
        assertThat(entrants(threeBuckets, helpers, 0, Set.of(), false)).containsExactly(entrant(0, 0));
        assertThat(entrants(threeBuckets, helpers, 4, Set.of(), true)).containsExactly(entrant(0, 1));
    }

    @Test
    void aPlanWithoutHelpersHasNoEntrants() {
        assertThat(ReadPlanner.helpers("v", threeBuckets, 3, List.of())).isEmpty();
        assertThat(entrants(threeBuckets, List.of(), 0, Set.of(), false)).isEmpty();
    }

    @Test
    void ownersKeepTheRankOfTheirStoreAndOthersFillTheGaps() {
        List<Store> mixed = List.of(bucket("s1"), disk("d2", "h2"), bucket("s3"));
        List<HelperAddress> helpers = ReadPlanner.helpers("v", mixed, 3, helpers(3));
        assertThat(helpers).hasSize(3);
        assertThat(helpers.get(1).id()).isEqualTo(id("h2"));
        assertThat(entrants(mixed, helpers, 0, Set.of(), false))
                .containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
    }

    @Test
    void transfersSpreadOverManyHelpers() {
        Set<HelperId> used = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            used.addAll(ids(ReadPlanner.helpers("version-" + i, threeBuckets, 3, helpers(20))));
        }
        assertThat(used).hasSize(20);
    }

    @Test
    void moreHelpersThanRaceForAChunkTakeTurns() {
        List<HelperAddress> seven = ReadPlanner.helpers("v", threeBuckets, ReadPlanner.MAX_HELPERS, helpers(7));
        assertThat(seven).hasSize(7);
        assertThat(entrants(threeBuckets, seven, 0, Set.of(), false))
                .containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
        assertThat(entrants(threeBuckets, seven, 1, Set.of(), false))
                .containsExactly(entrant(3, 0), entrant(4, 1), entrant(5, 2));
        assertThat(entrants(threeBuckets, seven, 2, Set.of(), false))
                .containsExactly(entrant(6, 0), entrant(0, 1), entrant(1, 2));

        List<HelperAddress> owners = ReadPlanner.helpers("v", threeDisks, ReadPlanner.MAX_HELPERS, helpers(7));
        assertThat(owners).hasSize(7);
        assertThat(entrants(threeDisks, owners, 1, Set.of(), false))
                .as("disks are read by their owners")
                .containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
    }

    @Test
    void aPlanNamesAtMostSixteenHelpers() {
        List<Store> stores = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            stores.add(disk("d" + i, "h" + i));
        }
        assertThat(ReadPlanner.helpers("v", stores, 3, helpers(40))).hasSize(ReadPlanner.MAX_HELPERS);
    }

    /** Over random clusters: entrants are distinct, within the plan, for readable replicas, and none is missing. */
    @Test
    void plansOfAnyClusterObeyTheRules() {
        Random random = new Random(5);
        for (int round = 0; round < 5_000; round++) {
            List<Store> stores = new ArrayList<>();
            for (int i = 1 + random.nextInt(8); i > 0; i--) {
                stores.add(random.nextBoolean() ? bucket("s" + i) : disk("s" + i, "h" + (1 + random.nextInt(6))));
            }
            List<HelperAddress> live = helpers(random.nextInt(6));
            List<HelperAddress> helpers = ReadPlanner.helpers("v" + round, stores, 1 + random.nextInt(8), live);
            Set<StoreId> bad = random.nextInt(3) == 0 ? Set.of(stores.get(0).id()) : Set.of();
            Chunk chunk = chunk(random.nextInt(100), stores.subList(0, 1 + random.nextInt(stores.size())));
            boolean rotate = random.nextBoolean();

            List<Entrant> entrants = ReadPlanner.entrants(
                    chunk,
                    ids(helpers),
                    byId(stores),
                    Set.copyOf(ids(live)),
                    bad,
                    new ReadPlanner.Preference(order(random, stores), rotate));

            long readable = stores.stream()
                    .filter(store -> chunk.replicas().contains(store.id()) && !bad.contains(store.id()))
                    .filter(store -> store.owner().map(ids(live)::contains).orElse(true))
                    .count();
            assertThat(entrants).hasSize((int) Math.min(readable, helpers.size()));
            assertThat(entrants.stream().map(Entrant::racer)).doesNotHaveDuplicates();
            assertThat(entrants.stream().map(Entrant::replica)).doesNotHaveDuplicates();
            assertThat(entrants).allSatisfy(entrant -> {
                assertThat(entrant.racer().rank()).isLessThan(helpers.size());
                assertThat(bad).doesNotContain(chunk.replicas().get(entrant.replica()));
            });
        }
    }

    private static List<Entrant> entrants(
            List<Store> stores, List<HelperAddress> helpers, long index, Set<StoreId> bad, boolean rotate) {
        return entrants(stores, helpers, index, bad, new ReadPlanner.Preference(ReplicaOrder.UNMEASURED, rotate));
    }

    private static List<Entrant> entrants(
            List<Store> stores,
            List<HelperAddress> helpers,
            long index,
            Set<StoreId> bad,
            ReadPlanner.Preference preference) {
        return ReadPlanner.entrants(
                chunk(index, stores), ids(helpers), byId(stores), new HashSet<>(ids(helpers)), bad, preference);
    }

    private static ReplicaOrder order(Random random, List<Store> stores) {
        int[] millis = stores.stream().mapToInt(store -> 1 + random.nextInt(50)).toArray();
        return order(stores, millis, random.nextInt());
    }

    /** Medians of the stores' first bytes. */
    private static ReplicaOrder order(List<Store> stores, int[] millis, long draw) {
        List<SpeedEntry> entries = new ArrayList<>();
        for (int i = 0; i < millis.length; i++) {
            long nanos = millis[i] * 1_000_000L;
            entries.add(new SpeedEntry(
                    Optional.empty(),
                    new SpeedKey(stores.get(i).id(), SizeClass.TINY),
                    new ExpectedSpeed(nanos, nanos, nanos, 1 << 30, 1 << 30, 0, 1, 99)));
        }
        return new ReplicaOrder(new SpeedBook(entries), draw);
    }

    /** For each replica, the number of 320 chunks that one helper reads from it first. */
    private List<Long> firsts(int[] millis, boolean rotate) {
        List<HelperAddress> one = ReadPlanner.helpers("v", threeBuckets, 3, helpers(1));
        ReadPlanner.Preference preference = new ReadPlanner.Preference(order(threeBuckets, millis, 7), rotate);
        Long[] counts = {0L, 0L, 0L};
        for (long index = 0; index < 320; index++) {
            List<Entrant> entrants = entrants(threeBuckets, one, index, Set.of(), preference);
            assertThat(entrants).hasSize(1);
            counts[entrants.get(0).replica()]++;
        }
        return List.of(counts);
    }

    @Test
    void fewHelpersReadTheFastestReplicasAndNowAndThenTheSlowest() {
        List<Long> firsts = firsts(new int[] {500, 40, 20}, false);
        assertThat(firsts.get(2)).isBetween(280L, 319L);
        assertThat(firsts.get(0)).as("so that it shows when it recovers").isEqualTo(320 - firsts.get(2));
        assertThat(firsts.get(1)).isZero();
    }

    @Test
    void aLittleFasterIsNoReasonToChange() {
        assertThat(firsts(new int[] {26, 25, 20}, false)).containsExactly(320L, 0L, 0L);
    }

    @Test
    void aReplicaFarBehindTakesItsTurnOnlyNowAndThen() {
        List<Long> firsts = firsts(new int[] {20, 40, 500}, true);
        assertThat(firsts.get(0)).isBetween(140L, 170L);
        assertThat(firsts.get(1)).isBetween(140L, 170L);
        assertThat(firsts.get(2)).isBetween(1L, 30L);
        assertThat(firsts(new int[] {20, 40, 30}, true))
                .allSatisfy(count -> assertThat(count).isBetween(106L, 107L));
    }

    @Test
    void anotherPlanExploresOtherChunks() {
        List<HelperAddress> one = ReadPlanner.helpers("v", threeBuckets, 3, helpers(1));
        Set<Integer> read = new HashSet<>();
        for (long draw = 0; draw < 100; draw++) {
            ReplicaOrder order = order(threeBuckets, new int[] {20, 20, 500}, draw);
            read.add(entrants(threeBuckets, one, 0, Set.of(), new ReadPlanner.Preference(order, false))
                    .get(0)
                    .replica());
        }
        assertThat(read).containsExactlyInAnyOrder(0, 2);
    }

    private static Map<StoreId, Store> byId(List<Store> stores) {
        Map<StoreId, Store> byId = new LinkedHashMap<>();
        stores.forEach(store -> byId.put(store.id(), store));
        return new HashMap<>(byId);
    }

    private static Chunk chunk(long index, List<Store> stores) {
        return new Chunk(
                index,
                new ChunkId(VERSION, index),
                new ByteRange(index * 10, 10),
                4096,
                new LeafDigests(new int[1], new byte[32]),
                stores.stream().map(Store::id).toList());
    }

    private static Entrant entrant(int racer, int replica) {
        return new Entrant(new RacerId(racer), replica);
    }

    private static List<HelperAddress> helpers(int count) {
        List<HelperAddress> helpers = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            helpers.add(new HelperAddress(id("h" + i), "127.0.0.1:" + (7000 + i), "127.0.0.1:" + (8000 + i)));
        }
        return helpers;
    }

    private static List<HelperId> ids(List<HelperAddress> helpers) {
        return helpers.stream().map(HelperAddress::id).toList();
    }

    private static HelperId id(String id) {
        return new HelperId(id);
    }

    private static Store bucket(String id) {
        return new Store(new StoreId(id), id, new Store.S3("b-" + id, "eu-west-1", "", false, ""));
    }

    private static Store disk(String id, String owner) {
        return new Store(new StoreId(id), id, new Store.Disk(id(owner), Path.of("/data/" + id)));
    }
}
