package io.cloudmw.coordinator.upkeep.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.InterposedCatalog;
import io.cloudmw.coordinator.testing.StorelessFleet;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.security.FixedLifeTokens;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of repair, from findings to records, over a catalog in memory with simulated helpers. */
final class RepairerTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;

    private final Set<Integer> alive = new HashSet<>();
    private final InterposedCatalog interposed = new InterposedCatalog(new InMemoryCatalog());
    private TestCluster cluster;

    @BeforeEach
    void fourHelpersAndAVolumeOfThreeReplicas() throws CloudMwException {
        cluster = new TestCluster(interposed.catalog());
        for (int number = 1; number <= 4; number++) {
            cluster.helper(number);
            alive.add(number);
        }
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("v", 3, 1, "d1", "d2", "d3", "d4"), Optional.empty());
    }

    /** Advances time; live helpers renew their leases, and upkeep runs. */
    private void pass(Duration time) throws CloudMwException {
        for (Duration left = time; !left.isNegative() && !left.isZero(); left = left.minusSeconds(1)) {
            cluster.ticker.advance(Duration.ofSeconds(1));
            for (int number : alive) {
                cluster.heartbeat(number);
            }
            cluster.coordinator.upkeep().tick();
        }
    }

    private List<TaskBatch.Assignment> asked(int helper) throws CloudMwException {
        return cluster.coordinator
                .upkeep()
                .work(new HelperId("h" + helper), List.of(), 100)
                .assignments();
    }

    private void report(int helper, long task, Optional<ErrorCode> failure, ReplicaReport... faults)
            throws CloudMwException {
        report(helper, task, failure, Optional.empty(), faults);
    }

    private void report(
            int helper, long task, Optional<ErrorCode> failure, Optional<StoreId> blamed, ReplicaReport... faults)
            throws CloudMwException {
        cluster.coordinator
                .upkeep()
                .work(
                        new HelperId("h" + helper),
                        List.of(new TaskResult(task, failure, "", MIB, List.of(faults), blamed)),
                        0);
    }

    /** Lets every live helper do its tasks; returns how many there were. */
    private int work() throws CloudMwException {
        int done = 0;
        for (int helper : alive) {
            for (TaskBatch.Assignment given : asked(helper)) {
                report(helper, given.number(), Optional.empty());
                done++;
            }
        }
        return done;
    }

    private List<StoreId> placed(FileVersion version, ChunkId chunk) throws CloudMwException {
        return Objects.requireNonNull(placed(version).get(chunk));
    }

    private Map<ChunkId, List<StoreId>> placed(FileVersion version) throws CloudMwException {
        Map<ChunkId, List<StoreId>> stores = new HashMap<>();
        List<Chunk> manifest = new ArrayList<>();
        for (PlannedChunk chunk : cluster.coordinator
                .reads()
                .segment(FILE, version.id(), 0, List.of(), false)
                .chunks()) {
            assertThat(chunk.bad()).isEmpty();
            manifest.add(chunk.inManifest());
            stores.put(chunk.chunk().id(), chunk.chunk().replicas());
        }
        assertThat(new ManifestSegment(0, manifest).encode())
                .as("what the manifest's digest is of")
                .isEqualTo(cluster.catalog.segment(version.id(), 0).orElseThrow());
        return stores;
    }

    private RepairProgress progress() throws CloudMwException {
        return cluster.coordinator.upkeep().status().repair();
    }

    @Test
    void copiesOfALongAbsentStoreAreMadeElsewhereAndReadThere() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        StoreId lost = new StoreId("d1");
        long concerned = placed(version).values().stream()
                .filter(stores -> stores.contains(lost))
                .count();
        assertThat(concerned).isPositive();
        alive.remove(1);

        pass(UpkeepOptions.defaults().repairAfter());
        assertThat(work()).as("before the bound").isZero();
        pass(Duration.ofSeconds(30));
        assertThat(progress().underReplicated()).isEqualTo(Map.of(2, concerned));
        assertThat(work()).isEqualTo((int) concerned);

        placed(version).values().forEach(stores -> assertThat(stores).hasSize(3).doesNotContain(lost));
        pass(Duration.ofMinutes(3));
        assertThat(progress().underReplicated()).isEmpty();
        assertThat(progress().copied()).isEqualTo(concerned);
        assertThat(progress().dropped()).isEqualTo(concerned);
    }

    @Test
    void formerCopiesOfAReturningStoreAreNotReadAgain() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        work();
        Map<ChunkId, List<StoreId>> moved = placed(version);
        cluster.helper(1);
        alive.add(1);
        pass(Duration.ofMinutes(5));
        assertThat(work()).isZero();
        assertThat(placed(version)).isEqualTo(moved);
    }

    /** A version that is derived later has the first one's manifest entries, and finds the chunk, too. */
    @Test
    void movedSharedChunkIsFoundByEveryVersionThatReferencesIt() throws CloudMwException {
        FileVersion base = cluster.put(FILE, 4 * MIB);
        FileVersion before = cluster.edit(FILE, Edit.append(1));
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        assertThat(work()).isPositive();
        FileVersion after = cluster.edit(FILE, Edit.append(1));
        Map<ChunkId, List<StoreId>> now = placed(after);
        assertThat(now).hasSize(5);
        for (FileVersion version : List.of(base, before)) {
            Map<ChunkId, List<StoreId>> of = placed(version);
            for (int index = 0; index < 4; index++) {
                ChunkId chunk = new ChunkId(base.id(), index);
                assertThat(of.get(chunk))
                        .hasSize(3)
                        .doesNotContain(new StoreId("d1"))
                        .isEqualTo(now.get(chunk));
            }
        }
        assertThat(cluster.segment(after.id(), 0).subList(0, 4)).isEqualTo(cluster.segment(base.id(), 0));
    }

    /** The writing version may be forgotten: the version that shares the chunk describes it. */
    @Test
    void sharedChunkIsRepairedAfterItsWriterIsForgotten() throws CloudMwException {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion edited = cluster.edit(FILE, Edit.append(1));
        cluster.catalog.forget(
                cluster.catalog
                        .leases()
                        .acquire("collection", "test", Duration.ofSeconds(1), cluster.now())
                        .orElseThrow(),
                base.id());
        ChunkId shared = new ChunkId(base.id(), 1);
        StoreId bad = placed(edited, shared).get(0);
        cluster.catalog.report(List.of(new ReplicaReport(shared, bad, ReplicaState.CORRUPT)), cluster.now());
        pass(Duration.ofSeconds(6));
        assertThat(work()).isEqualTo(1);
        assertThat(placed(edited, shared)).hasSize(3);
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isZero();
    }

    @Test
    void taskNamesTheGoodCopiesTheirOwnersAndAToken() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        StoreId bad = placed(version, chunk).get(0);
        cluster.catalog.report(List.of(new ReplicaReport(chunk, bad, ReplicaState.CORRUPT)), cluster.now());
        pass(Duration.ofSeconds(6));
        List<TaskBatch> handouts = new ArrayList<>();
        for (int helper = 1; helper <= 4; helper++) {
            TaskBatch handout = cluster.coordinator.upkeep().work(new HelperId("h" + helper), List.of(), 1);
            if (!handout.assignments().isEmpty()) {
                handouts.add(handout);
            }
        }
        assertThat(handouts).hasSize(1);
        TaskBatch.Assignment given = handouts.get(0).assignments().get(0);
        Task.Copy copy = (Task.Copy) given.task();
        assertThat(copy.sources()).hasSize(2).noneMatch(store -> store.id().equals(bad));
        assertThat(handouts.get(0).helpers()).hasSize(3);
        cluster.tokens.verify(given.token().orElseThrow().bytes()).require(TransferRight.READ, chunk);
    }

    @Test
    void owedCopyOfADeadWriterIsMade() throws CloudMwException {
        Optional<io.cloudmw.core.model.VersionId> none = Optional.empty();
        FileVersion version = cluster.written(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        StoreId owed = cluster.coordinator
                .uploads()
                .place(FILE, version.id(), 0, 1, Set.of())
                .placements()
                .get(0)
                .stores()
                .get(2);
        cluster.coordinator.uploads().commit(version, none, List.of(new ReplicaReport(chunk, owed, ReplicaState.OWED)));
        pass(UpkeepOptions.defaults().owedAfter().minusSeconds(10));
        assertThat(work()).isZero();
        assertThat(progress().obstacles()).isEqualTo(Map.of(RepairObstacle.AWAITED, 1L));
        pass(Duration.ofSeconds(20));
        assertThat(work()).isEqualTo(1);
        assertThat(placed(version, chunk)).hasSize(3);
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isZero();
    }

    @Test
    void chunkWithFewestCopiesComesFirst() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        List<ReplicaReport> faults = new ArrayList<>();
        placed(version).forEach((chunk, stores) -> {
            faults.add(new ReplicaReport(chunk, stores.get(0), ReplicaState.MISSING));
            if (chunk.index() == 5) {
                faults.add(new ReplicaReport(chunk, stores.get(1), ReplicaState.CORRUPT));
            }
        });
        cluster.catalog.report(faults, cluster.now());
        pass(Duration.ofSeconds(6));
        for (int helper : alive) {
            List<Long> order = asked(helper).stream()
                    .map(given -> ((Task.Copy) given.task()).chunk().index())
                    .toList();
            assertThat(order.contains(5L)).isEqualTo(!order.isEmpty() && order.get(0) == 5L);
        }
    }

    @Test
    void badSourceFoundByAHelperIsRepairedToo() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        List<StoreId> stores = placed(version, chunk);
        cluster.catalog.report(List.of(new ReplicaReport(chunk, stores.get(0), ReplicaState.MISSING)), cluster.now());
        pass(Duration.ofSeconds(6));
        for (int helper : alive) {
            for (TaskBatch.Assignment given : asked(helper)) {
                report(
                        helper,
                        given.number(),
                        Optional.empty(),
                        new ReplicaReport(chunk, stores.get(1), ReplicaState.CORRUPT));
            }
        }
        pass(Duration.ofSeconds(6));
        assertThat(work()).isEqualTo(1);
        assertThat(placed(version, chunk)).hasSize(3);
    }

    /** Returns the assigned task for a copy that is recorded as missing. */
    private TaskBatch.Assignment givenMissing() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        StoreId bad = placed(version, chunk).get(0);
        cluster.catalog.report(List.of(new ReplicaReport(chunk, bad, ReplicaState.MISSING)), cluster.now());
        pass(Duration.ofSeconds(6));
        return asked(helperOf(bad)).get(0);
    }

    private static int helperOf(StoreId disk) {
        return Integer.parseInt(disk.value().substring(1));
    }

    private void made(TaskBatch.Assignment given) throws CloudMwException {
        report(helperOf(given.task().store().id()), given.number(), Optional.empty());
    }

    @Test
    void copyMadeAfterAPassReadItAsMissingIsNotMadeAgain() throws CloudMwException {
        TaskBatch.Assignment given = givenMissing();
        interposed.after("records", () -> made(given));
        pass(Duration.ofSeconds(6));
        assertThat(progress().copied()).isEqualTo(1);
        assertThat(work()).isZero();
    }

    @Test
    void copyLostAgainIsMadeAgain() throws CloudMwException {
        TaskBatch.Assignment given = givenMissing();
        Task.Copy copy = (Task.Copy) given.task();
        interposed.after("records", () -> {
            made(given);
            cluster.catalog.report(
                    List.of(new ReplicaReport(copy.chunk().id(), copy.store().id(), ReplicaState.CORRUPT)),
                    cluster.now());
        });
        pass(Duration.ofSeconds(12));
        assertThat(work()).isEqualTo(1);
        assertThat(progress().copied()).isEqualTo(2);
    }

    /** The helper did not wait for the answer to its first report. */
    @Test
    void parallelReportsOfACopyAreRecordedOnce() throws CloudMwException {
        TaskBatch.Assignment given = givenMissing();
        int settled = interposed.calls("settle");
        interposed.before("settle", () -> made(given));
        made(given);
        assertThat(interposed.calls("settle") - settled).isEqualTo(1);
        assertThat(progress().copied()).isEqualTo(1);
        pass(Duration.ofSeconds(12));
        assertThat(work()).isZero();
    }

    @Test
    void reportIsRecordedOnceThoughTheCatalogReportedAFailure() throws CloudMwException {
        TaskBatch.Assignment given = givenMissing();
        int settled = interposed.calls("settle");
        interposed.after("settle", () -> {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "the answer is lost");
        });
        assertThat(catchThrowableOfType(CloudMwException.class, () -> made(given)))
                .hasMessageContaining("the answer is lost");
        made(given);
        assertThat(interposed.calls("settle") - settled).isEqualTo(1);
        assertThat(progress().copied()).isEqualTo(1);
        pass(Duration.ofSeconds(12));
        assertThat(work()).isZero();
    }

    @Test
    void failedTaskIsRetriedAndFoundAgain() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        StoreId bad = placed(version, chunk).get(0);
        cluster.catalog.report(List.of(new ReplicaReport(chunk, bad, ReplicaState.MISSING)), cluster.now());
        int tries = 0;
        for (int i = 0; i < 60; i++) {
            pass(Duration.ofSeconds(6));
            for (int helper : alive) {
                for (TaskBatch.Assignment given : asked(helper)) {
                    report(helper, given.number(), Optional.of(ErrorCode.STORE_UNAVAILABLE));
                    tries++;
                }
            }
        }
        assertThat(tries).isGreaterThan(6);
        assertThat(progress().failed()).isEqualTo(tries);
        pass(Duration.ofSeconds(60));
        assertThat(work()).isEqualTo(1);
        assertThat(placed(version, chunk)).hasSize(3);
    }

    @Test
    void copiesThatAStoreKeepsRefusingGoElsewhere() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        StoreId bad = placed(version, chunk).get(0);
        cluster.catalog.report(List.of(new ReplicaReport(chunk, bad, ReplicaState.MISSING)), cluster.now());
        Set<StoreId> tried = new HashSet<>();
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < 60 && progress().copied() == 0; i++) {
            pass(Duration.ofSeconds(6));
            for (int helper : alive) {
                for (TaskBatch.Assignment given : asked(helper)) {
                    StoreId target = given.task().store().id();
                    boolean refuses = target.equals(bad);
                    report(
                            helper,
                            given.number(),
                            refuses ? Optional.of(ErrorCode.STORE_UNAVAILABLE) : Optional.empty(),
                            refuses ? Optional.of(target) : Optional.empty());
                    tried.add(target);
                }
            }
        }
        assertThat(tried).contains(bad).hasSize(2);
        assertThat(placed(version, chunk)).hasSize(3).doesNotContain(bad);
    }

    @Test
    void lossOfTheLeaseEndsTheTerm() throws CloudMwException {
        pass(Duration.ofSeconds(1));
        HelperId helper = new HelperId("h1");
        FileVersion version = cluster.put(FILE, 1);
        ChunkId chunk = new ChunkId(version.id(), 0);
        cluster.catalog.report(
                List.of(new ReplicaReport(chunk, placed(version, chunk).get(0), ReplicaState.MISSING)), cluster.now());
        pass(Duration.ofSeconds(6));
        List<TaskBatch.Assignment> given = new ArrayList<>();
        int worker = 0;
        for (int number : alive) {
            List<TaskBatch.Assignment> some = asked(number);
            worker = some.isEmpty() ? worker : number;
            given.addAll(some);
        }
        assertThat(given).hasSize(1);
        cluster.catalog.leases().acquire("upkeep", "coordinator", Duration.ofSeconds(30), cluster.now());
        TaskResult done = new TaskResult(given.get(0).number(), Optional.empty(), "", MIB, List.of(), Optional.empty());
        assertThat(cluster.coordinator
                        .upkeep()
                        .work(new HelperId("h" + worker), List.of(done), 0)
                        .elsewhere())
                .isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(cluster.coordinator.upkeep().work(helper, List.of(), 0).elsewhere())
                .isFalse();
    }

    @Test
    void restartedCoordinatorContinues() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        List<TaskBatch.Assignment> given = asked(2);
        cluster.restart();
        alive.remove(2);
        for (int number = 2; number <= 4; number++) {
            cluster.helper(number);
            alive.add(number);
        }
        given.forEach(assignment -> assertThat(catchThrowableOfType(
                        CloudMwException.class, () -> report(2, assignment.number(), Optional.empty())))
                .isNull());
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        work();
        placed(version).values().forEach(stores -> assertThat(stores).hasSize(3).doesNotContain(new StoreId("d1")));
    }

    /** Restarts the coordinator as after a crash; live helpers register again. */
    private void restart() throws CloudMwException {
        cluster.restart();
        for (int number : alive) {
            cluster.helper(number);
        }
    }

    @Test
    void lostStoreIsLostForTheNextCoordinatorToo() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        restart();
        pass(UpkeepOptions.defaults().interval().multipliedBy(3));
        work();
        placed(version).values().forEach(stores -> assertThat(stores).hasSize(3).doesNotContain(new StoreId("d1")));
    }

    /** Each death sets the measured absence of a store back by some seconds only. */
    @Test
    void copiesOfALostStoreAreMadeHoweverOftenCoordinatorsDie() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 8 * MIB);
        alive.remove(1);
        Duration life = Duration.ofSeconds(60);
        Duration counted = life.minusSeconds(10);
        long lives = UpkeepOptions.defaults().repairAfter().dividedBy(counted) + 1;
        for (int i = 0; i < lives; i++) {
            pass(life);
            restart();
        }
        pass(UpkeepOptions.defaults().interval().multipliedBy(3));
        work();
        placed(version).values().forEach(stores -> assertThat(stores).hasSize(3).doesNotContain(new StoreId("d1")));
    }

    @Test
    void returnedStoreIsPresentForTheNextCoordinator() throws CloudMwException {
        cluster.put(FILE, 8 * MIB);
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().minusSeconds(20));
        assertThat(cluster.catalog.notes().startingWith("away/")).containsOnlyKeys("away/d1");
        cluster.helper(1);
        alive.add(1);
        pass(Duration.ofSeconds(2));
        assertThat(cluster.catalog.notes().startingWith("away/")).isEmpty();
        alive.remove(1);
        restart();
        pass(UpkeepOptions.defaults().repairAfter().minusSeconds(20));
        assertThat(work()).isZero();
    }

    /** This holds for files that come last in a pass, and for more copies than the queue has room for. */
    @Test
    void chunksOfTwoLostStoresComeBeforeChunksOfOne() throws CloudMwException {
        cluster.helper(5);
        alive.add(5);
        FilePath file = FilePath.parse("wide:/f");
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("wide", 3, 1, "d1", "d2", "d3", "d4", "d5"), Optional.empty());
        cluster.put(file, 1500 * MIB);
        cluster.put(FilePath.parse("wide:/g"), 1500 * MIB);
        Set<StoreId> lost = Set.of(new StoreId("d1"), new StoreId("d2"));
        long urgent = 0;
        for (String path : List.of("wide:/f", "wide:/g")) {
            FileVersion version = cluster.catalog.current(FilePath.parse(path)).orElseThrow();
            for (int segment = 0; segment < version.segmentCount(); segment++) {
                urgent += cluster.segment(version.id(), segment).stream()
                        .filter(chunk -> chunk.replicas().containsAll(lost))
                        .count();
            }
        }
        alive.removeAll(Set.of(1, 2));
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));

        List<Integer> given = new ArrayList<>();
        for (int helper : alive) {
            for (List<TaskBatch.Assignment> some = asked(helper); !some.isEmpty(); some = asked(helper)) {
                some.forEach(one -> given.add(((Task.Copy) one.task()).good()));
            }
        }
        assertThat(given).hasSize(2048);
        assertThat(given.stream().filter(good -> good == 1)).hasSize((int) (2 * urgent));
    }

    /** Later passes find the copies without room, until none is missing. */
    @Test
    void copiesBeyondTheQueuesRoomAreMadeLater() throws CloudMwException {
        FileVersion version = cluster.put(FILE, 4000 * MIB);
        alive.remove(1);
        pass(UpkeepOptions.defaults().repairAfter().plusSeconds(30));
        assertThat(progress().underReplicated().get(2)).isGreaterThan(2048);
        for (int i = 0; i < 300 && !progress().underReplicated().isEmpty(); i++) {
            pass(Duration.ofSeconds(1));
            work();
        }
        assertThat(progress().underReplicated()).isEmpty();
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).hasSize(3).doesNotContain(new StoreId("d1")));
    }

    /** The upkeep of another coordinator with the same catalog. */
    private Upkeep otherUpkeep() {
        return new Upkeep(
                "other",
                cluster.catalog,
                new StorelessFleet(true),
                new FixedLifeTokens(cluster.tokens, Duration.ofHours(1), cluster::now),
                UpkeepOptions.defaults(),
                cluster.ticker,
                cluster::now);
    }

    @Test
    void coordinatorThatStopsLetsAnotherDoUpkeepAtOnce() throws CloudMwException {
        pass(Duration.ofSeconds(1));
        HelperId helper = new HelperId("h1");
        Upkeep other = otherUpkeep();
        other.tick();
        assertThat(other.work(helper, List.of(), 1).elsewhere()).isTrue();

        cluster.coordinator.upkeep().close();
        assertThat(cluster.coordinator.upkeep().work(helper, List.of(), 1).elsewhere())
                .isTrue();
        other.tick();
        assertThat(other.work(helper, List.of(), 1).elsewhere()).isFalse();
    }

    @Test
    void coordinatorWithoutTheLeaseSendsHelpersOn() throws CloudMwException {
        pass(Duration.ofSeconds(1));
        HelperId helper = new HelperId("h1");
        Upkeep other = otherUpkeep();
        other.tick();
        assertThat(other.work(helper, List.of(), 1).elsewhere()).isTrue();
        assertThat(catchThrowableOfType(CloudMwException.class, other::status))
                .hasMessageContaining("coordinator coordinator does it")
                .extracting(CloudMwException::code)
                .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
        assertThat(cluster.coordinator.upkeep().work(helper, List.of(), 1).elsewhere())
                .isFalse();

        cluster.ticker.advance(Duration.ofMinutes(1));
        assertThat(catchThrowableOfType(CloudMwException.class, other::status))
                .hasMessageContaining("coordinator coordinator did it last, and none does now");
        other.tick();
        assertThat(other.work(helper, List.of(), 1).elsewhere()).isFalse();
        cluster.helper(1);
        cluster.coordinator.upkeep().tick();
        assertThat(cluster.coordinator.upkeep().work(helper, List.of(), 1).elsewhere())
                .isTrue();
    }

    @Test
    void helperWithoutALeaseGetsNoTask() {
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class,
                () -> cluster.coordinator.upkeep().work(new HelperId("stranger"), List.of(), 1));
        assertThat(refusal.code()).isEqualTo(ErrorCode.HELPER_UNKNOWN);
    }
}
