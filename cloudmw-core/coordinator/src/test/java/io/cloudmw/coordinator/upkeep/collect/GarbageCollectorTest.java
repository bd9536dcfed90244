package io.cloudmw.coordinator.upkeep.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.upkeep.Upkeep;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.DrainOrder;
import io.cloudmw.core.status.collect.CollectFindings;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests of garbage collection against a model of stores with known content. Writers crash, files are removed, helpers
 * fail and lose answers, and coordinators restart with wrong clocks. No referenced copy is ever deleted, and in quiet
 * times all others are, except copies of unknown versions.
 */
final class GarbageCollectorTest {
    private static final int HELPERS = 4;
    private static final long MIB = 1 << 20;

    /** The order of names in a store's listing. */
    private static final Comparator<ChunkId> BY_NAME = Comparator.comparing(ChunkId::toString);

    /** The stores' content and its users. */
    private static final class World {
        private final TestCluster cluster = new TestCluster();
        private final Map<StoreId, Set<ChunkId>> stores = new TreeMap<>();
        private final Set<ChunkId> strays = new HashSet<>();
        private final Random random;

        /** The numbers of silent helpers. */
        private final Set<Integer> away = new HashSet<>();

        World(long seed) throws CloudMwException {
            random = new Random(seed);
            register();
            cluster.coordinator
                    .administration()
                    .createVolume(TestCluster.volume("v", 2, 1, "d1", "d2", "d3", "d4"), Optional.empty());
            for (int number = 1; number <= HELPERS; number++) {
                stores.put(new StoreId("d" + number), new TreeSet<>(BY_NAME));
            }
            pass(1);
        }

        private List<Integer> live() {
            return IntStream.rangeClosed(1, HELPERS)
                    .filter(number -> !away.contains(number))
                    .boxed()
                    .toList();
        }

        private void register() throws CloudMwException {
            for (int number : live()) {
                cluster.helper(number);
            }
        }

        Set<ChunkId> store(StoreId id) {
            return stores.getOrDefault(id, new TreeSet<>(BY_NAME));
        }

        void pass(int seconds) throws CloudMwException {
            for (int i = 0; i < seconds; i++) {
                cluster.ticker.advance(Duration.ofSeconds(1));
                for (int number : live()) {
                    cluster.heartbeat(number);
                }
                cluster.coordinator.upkeep().tick();
            }
        }

        /** Lets a helper die, or return. */
        void silence() throws CloudMwException {
            if (away.isEmpty()) {
                away.add(1 + random.nextInt(HELPERS));
            } else {
                away.clear();
                register();
            }
        }

        /** Advances time by a lot, in small steps; leases are not renewed meanwhile. */
        void leap(Duration time) throws CloudMwException {
            cluster.ticker.advance(time);
            register();
            cluster.coordinator.upkeep().tick();
        }

        void restart(long skewMillis) throws CloudMwException {
            cluster.skewMillis = skewMillis;
            cluster.ticker.advance(Duration.ofMinutes(2));
            cluster.restart();
            register();
            // The pass lasts until a silent helper is no longer waited for.
            pass(away.isEmpty() ? 3 : 10);
        }

        /** Sets the collection policy of the next coordinator. */
        void collects(boolean collects, Duration every) {
            CoordinatorOptions options = cluster.options;
            UpkeepOptions upkeep = options.upkeep();
            cluster.options = new CoordinatorOptions(
                    options.heartbeatInterval(),
                    options.helperTtl(),
                    options.tokenTtl(),
                    options.abandonedAfter(),
                    options.abandonedCheck(),
                    options.snapshotCheck(),
                    options.storeCheck(),
                    options.recordedReads(),
                    new UpkeepOptions(
                            upkeep.interval(),
                            upkeep.repairAfter(),
                            upkeep.owedAfter(),
                            upkeep.taskLife(),
                            upkeep.scrubEvery(),
                            upkeep.scrubBytesPerSecond(),
                            collects,
                            every,
                            upkeep.clockSkew(),
                            upkeep.compactBelowPercent(),
                            upkeep.leaseTerm()));
        }

        /** Lets helpers work; {@code trouble} is the share of tasks that fail, or are done and never reported. */
        void work(double trouble) throws CloudMwException {
            for (int number : live()) {
                HelperId helper = new HelperId("h" + number);
                for (TaskBatch.Assignment given :
                        cluster.coordinator.upkeep().work(helper, List.of(), 16).assignments()) {
                    Optional<ErrorCode> failure =
                            random.nextDouble() < trouble ? Optional.of(ErrorCode.STORE_UNAVAILABLE) : Optional.empty();
                    TaskResult result = done(given, failure);
                    if (random.nextDouble() >= trouble) {
                        var unused = cluster.coordinator.upkeep().work(helper, List.of(result), 0);
                    }
                }
            }
        }

        private TaskResult done(TaskBatch.Assignment given, Optional<ErrorCode> failure) {
            Task task = given.task();
            Set<ChunkId> chunks = store(task.store().id());
            Page<StoredChunk> page = new Page<>(List.of(), "");
            if (task instanceof Task.Survey survey) {
                List<ChunkId> after = chunks.stream()
                        .filter(chunk -> chunk.toString().compareTo(survey.after()) > 0)
                        .limit(3)
                        .toList();
                page = new Page<>(
                        after.stream().map(chunk -> new StoredChunk(chunk, MIB)).toList(),
                        after.size() < 3 ? "" : after.get(2).toString());
            } else if (task instanceof Task.Delete delete) {
                // A failed task may be half done.
                delete.chunks().stream()
                        .limit(
                                failure.isEmpty()
                                        ? delete.chunks().size()
                                        : random.nextInt(delete.chunks().size() + 1))
                        .forEach(chunks::remove);
            } else if (task instanceof Task.Copy copy) {
                chunks.add(copy.chunk().id());
            }
            return new TaskResult(given.number(), failure, "", task.bytes(), List.of(), Optional.empty(), page);
        }

        FileVersion written(String path, long chunks) throws CloudMwException {
            return cluster.written(FilePath.parse("v:" + path), chunks * MIB, chunk -> {
                chunk.replicas().forEach(store -> store(store).add(chunk.id()));
                return chunk;
            });
        }

        void commit(FileVersion version) throws CloudMwException {
            Optional<VersionId> expected = cluster.coordinator
                    .uploads()
                    .begin(version.file(), OptionalLong.of(version.sizeBytes()))
                    .expected();
            var unused = cluster.coordinator.uploads().commit(version, expected, List.of());
        }

        /** Puts small files in one pack; returns the pack. */
        Chunk pack(String... paths) throws CloudMwException {
            Chunk pack = cluster.packed(TestCluster.VOLUME, paths)
                    .pack()
                    .orElseThrow()
                    .chunk();
            pack.replicas().forEach(store -> store(store).add(pack.id()));
            return pack;
        }

        /** Appends files to a file; they are removed like sources of a concatenation. */
        void concatenate(String path, List<String> others) throws CloudMwException {
            FilePath file = FilePath.parse("v:" + path);
            List<FileVersion> parts = new ArrayList<>();
            for (String other : others) {
                cluster.catalog.current(FilePath.parse("v:" + other)).ifPresent(parts::add);
            }
            if (cluster.catalog.current(file).isEmpty()) {
                return;
            }
            FileVersion whole = cluster.coordinator.uploads().commit(cluster.concatenated(file, parts));
            for (int segment = 0; segment < whole.segmentCount(); segment++) {
                for (Chunk chunk : cluster.segment(whole.id(), segment)) {
                    if (chunk.id().version().equals(whole.id())) {
                        chunk.replicas().forEach(store -> store(store).add(chunk.id()));
                    }
                }
            }
            for (FileVersion part : parts) {
                cluster.catalog.remove(part.file(), cluster.now());
            }
        }

        /** Returns a chunk of an unknown version. */
        ChunkId stray() {
            ChunkId chunk = new ChunkId(VersionId.random(), random.nextInt(5));
            strays.add(chunk);
            store(new StoreId("d" + (1 + random.nextInt(HELPERS)))).add(chunk);
            return chunk;
        }

        /** Returns the locations of good copies of all current versions. */
        Map<StoreId, Set<ChunkId>> named() throws CloudMwException {
            Map<StoreId, Set<ChunkId>> named = new TreeMap<>();
            stores.keySet().forEach(store -> named.put(store, new TreeSet<>(BY_NAME)));
            Set<VersionId> packs = new HashSet<>();
            cluster.catalog.packs("", 1000).items().forEach(pack -> packs.add(pack.id()));
            for (FileVersion version : cluster.catalog.live("", 1000).items()) {
                if (packs.contains(version.id())) {
                    // A pack is needed as long as files name it.
                    continue;
                }
                for (int segment = 0; segment < version.segmentCount(); segment++) {
                    byte[] bytes =
                            cluster.catalog.segment(version.id(), segment).orElseThrow();
                    for (CurrentReplicas copies : ReplicaOverlay.of(
                            cluster.catalog,
                            ManifestSegment.decode(segment, bytes).chunks())) {
                        for (StoreId store : copies.stores()) {
                            if (copies.isGood(store)) {
                                named.getOrDefault(store, new TreeSet<>(BY_NAME))
                                        .add(copies.chunk().id().stored());
                            }
                        }
                    }
                }
            }
            return named;
        }

        void nothingNamedIsMissing(long seed) throws CloudMwException {
            for (Map.Entry<StoreId, Set<ChunkId>> entry : named().entrySet()) {
                assertThat(store(entry.getKey())).as("seed %d", seed).containsAll(entry.getValue());
            }
        }

        /** Checks that only copies of unknown versions remain, and unrecorded copies of referenced chunks. */
        void nothingElseIsLeft(long seed) throws CloudMwException {
            Set<ChunkId> expected = new HashSet<>(strays);
            named().values().forEach(expected::addAll);
            stores.forEach((id, chunks) ->
                    assertThat(chunks).as("seed %d %s", seed, id).isSubsetOf(expected));
        }

        CollectRound last() throws CloudMwException {
            return cluster.coordinator.upkeep().status().collect().last();
        }

        void round(boolean dry) throws CloudMwException {
            finish(cluster.coordinator.upkeep().collect(UUID.randomUUID(), dry));
        }

        Upkeep upkeep() {
            return cluster.coordinator.upkeep();
        }

        void finish(long number) throws CloudMwException {
            for (int i = 0;
                    i < 1000 && cluster.coordinator.upkeep().status().collect().rounds() < number;
                    i++) {
                pass(1);
                work(0);
            }
            assertThat(cluster.coordinator.upkeep().status().collect().rounds()).isEqualTo(number);
        }

        long copies() {
            return stores.values().stream().mapToLong(Set::size).sum();
        }
    }

    private static final Duration GRACE = Duration.ofHours(7);

    @Test
    void removedFilesAreDeletedAfterTheGraceTimeAndForgotten() throws CloudMwException {
        World world = new World(1);
        world.commit(world.written("/kept", 4));
        FileVersion gone = world.written("/gone", 4);
        world.commit(gone);
        world.cluster.catalog.remove(gone.file(), world.cluster.now());
        world.round(false);
        assertThat(world.last().findings().unnamed().copies()).isEqualTo(8);
        assertThat(world.last().findings().waiting().copies()).isEqualTo(8);
        assertThat(world.copies()).isEqualTo(16);
        world.leap(GRACE.minusHours(1));
        world.round(false);
        assertThat(world.copies()).as("before the grace is over").isEqualTo(16);
        world.leap(Duration.ofHours(1));
        world.round(false);
        assertThat(world.last().deleted().copies()).isEqualTo(8);
        assertThat(world.copies()).isEqualTo(8);
        world.round(false);
        assertThat(world.last().forgotten()).isOne();
        assertThat(world.cluster.catalog.state(gone.id())).isEmpty();
        world.nothingNamedIsMissing(1);
    }

    @Test
    void dryRunReportsAndChangesNothing() throws CloudMwException {
        World world = new World(2);
        world.commit(world.written("/kept", 4));
        FileVersion gone = world.written("/gone", 1);
        world.commit(gone);
        world.cluster.catalog.remove(gone.file(), world.cluster.now());
        for (int i = 0; i < 2; i++) {
            world.round(true);
            assertThat(world.last())
                    .isEqualTo(CollectRound.began(true, world.last().beganMillis(), 4)
                            .found(new CollectFindings(megabytes(10), megabytes(2), megabytes(2), 0))
                            .expecting(megabytes(10))
                            .storeDone()
                            .storeDone()
                            .storeDone()
                            .storeDone());
            world.leap(Duration.ofHours(2));
        }
        assertThat(world.cluster.catalog.records(gone.id(), 0, 10)).isEmpty();
        assertThat(world.copies()).isEqualTo(10);
    }

    private static CopyTotal megabytes(long copies) {
        return new CopyTotal(copies, copies * MIB);
    }

    @Test
    void roundEstimatesItsTotalBeforeItHasSeenEverything() throws CloudMwException {
        World world = new World(3);
        for (int file = 0; file < 200; file++) {
            world.commit(world.written("/f" + file, 2));
        }
        long all = world.copies();
        assertThat(all).isEqualTo(800);
        long round = world.cluster.coordinator.upkeep().collect(UUID.randomUUID(), true);
        List<Long> estimates = new ArrayList<>();
        CollectProgress progress = world.cluster.coordinator.upkeep().status().collect();
        while (progress.rounds() < round) {
            CopyTotal listed = progress.now().findings().listed();
            CopyTotal expected = progress.now().coverage().expected();
            if (expected.copies() > 0) {
                assertThat(expected.copies()).isGreaterThanOrEqualTo(listed.copies());
                assertThat(expected.bytes())
                        .isBetween(expected.copies() * MIB - 4 * MIB, expected.copies() * MIB + 4 * MIB);
            }
            if (expected.copies() > 0 && listed.copies() >= all / 2 && listed.copies() < all) {
                estimates.add(expected.copies());
            }
            world.pass(1);
            world.work(0);
            progress = world.cluster.coordinator.upkeep().status().collect();
        }
        assertThat(estimates)
                .isNotEmpty()
                .allSatisfy(estimate -> assertThat(estimate).isBetween(all / 2, all * 2));
        assertThat(world.last().coverage().expected()).isEqualTo(megabytes(all));
        assertThat(world.last().findings().listed()).isEqualTo(megabytes(all));
    }

    @Test
    void endedRoundListsNothingMore() throws CloudMwException {
        World world = new World(2);
        world.commit(world.written("/kept", 4));
        UUID one = UUID.randomUUID();
        UUID other = UUID.randomUUID();
        long round = world.upkeep().collect(one, true);
        assertThat(world.upkeep().collect(other, true))
                .as("two who ask for one round")
                .isEqualTo(round);
        world.upkeep().endCollection(one);
        world.pass(1);
        assertThat(world.upkeep().status().collect().underWay()).isTrue();
        assertThat(world.upkeep().status().collect().now().coverage().stores()).isEqualTo(HELPERS);
        assertThat(world.upkeep().collection(other).state()).isEqualTo(OrderedRound.State.UNDER_WAY);

        world.upkeep().endCollection(other);
        world.pass(1);

        CollectProgress ended = world.upkeep().status().collect();
        assertThat(ended.underWay()).isFalse();
        assertThat(ended.rounds()).isEqualTo(round);
        assertThat(ended.last().coverage().storesDone()).isZero();
        assertThat(world.upkeep().status().waitingTasks()).isZero();
        world.round(true);
        assertThat(world.last().coverage().storesDone()).isEqualTo(HELPERS);
    }

    /** Answers are lost and calls retried. */
    @Test
    void repeatedOrderCountsOnceAndEndsNoOtherRound() throws CloudMwException {
        World world = new World(2);
        world.commit(world.written("/kept", 4));
        UUID one = UUID.randomUUID();
        UUID other = UUID.randomUUID();
        long round = world.upkeep().collect(one, true);
        assertThat(world.upkeep().collect(one, true)).isEqualTo(round);
        long unused = world.upkeep().collect(other, true);
        world.pass(1);
        for (int i = 0; i < 3; i++) {
            world.upkeep().endCollection(one);
            world.pass(1);
        }
        assertThat(world.upkeep().collection(one).state()).isEqualTo(OrderedRound.State.CANCELLED);
        assertThat(world.upkeep().collection(other).state()).isEqualTo(OrderedRound.State.UNDER_WAY);
        world.finish(round);
        assertThat(world.upkeep().collection(other))
                .isEqualTo(new OrderedRound(round, OrderedRound.State.DONE, world.last()));
        assertThat(world.last().coverage().storesDone()).isEqualTo(HELPERS);
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class, () -> world.upkeep().collect(one, true));
        assertThat(refused.code()).as("a late try of the order").isEqualTo(ErrorCode.CANCELLED);
        assertThat(world.upkeep().collect(other, true)).as("a late try").isEqualTo(round);
    }

    /** The next holder counts rounds from one: an old order must not be taken for one of its own. */
    @Test
    void newHolderKnowsNoOrderAndDropsNone() throws CloudMwException {
        World world = new World(2);
        world.commit(world.written("/kept", 4));
        UUID before = UUID.randomUUID();
        long round = world.upkeep().collect(before, true);
        world.restart(0);
        world.pass(1);
        CloudMwException unknown = catchThrowableOfType(
                CloudMwException.class, () -> world.upkeep().collection(before));
        assertThat(unknown.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(unknown).hasMessageContainingAll(before.toString(), "restarted");
        UUID after = UUID.randomUUID();
        assertThat(world.upkeep().collect(after, true)).isEqualTo(round);
        world.upkeep().endCollection(before);
        world.finish(round);
        assertThat(world.upkeep().collection(after).state()).isEqualTo(OrderedRound.State.DONE);
    }

    @Test
    void dueRoundContinuesWhenItsOrderIsWithdrawn() throws CloudMwException {
        World world = new World(2);
        world.commit(world.written("/kept", 4));
        Duration every = Duration.ofMinutes(1);
        world.collects(true, every);
        world.restart(0);
        world.pass((int) every.toSeconds() - 4);
        assertThat(world.upkeep().status().collect()).isEqualTo(CollectProgress.NONE);
        world.cluster.ticker.advance(Duration.ofSeconds(4));
        UUID order = UUID.randomUUID();
        long round = world.upkeep().collect(order, false);
        world.pass(1);
        assertThat(world.upkeep().status().collect().underWay()).isTrue();
        world.upkeep().endCollection(order);
        world.finish(round);
        assertThat(world.last().coverage().storesDone()).isEqualTo(HELPERS);
    }

    /** The copies may belong to another cluster, or be newer than the backup from which the catalog was restored. */
    @Test
    void copiesOfUnknownVersionsStayAndAreCounted() throws CloudMwException {
        World world = new World(3);
        ChunkId stray = world.stray();
        for (int i = 0; i < 3; i++) {
            world.round(false);
            assertThat(world.last().findings().unknown()).isOne();
            assertThat(world.last().findings().unnamed().copies()).isZero();
            world.leap(GRACE.plusHours(1));
        }
        assertThat(world.copies()).isOne();
        assertThat(world.cluster.catalog.state(stray.version())).isEmpty();
    }

    @Test
    void copyNotDroppedByUpkeepStaysAsLongAsItsChunkIsReferenced() throws CloudMwException {
        World world = new World(6);
        FileVersion kept = world.written("/f", 1);
        world.commit(kept);
        ChunkId chunk = new ChunkId(kept.id(), 0);
        world.stores.values().forEach(store -> store.add(chunk));
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.copies()).isEqualTo(HELPERS);
        world.cluster.catalog.remove(kept.file(), world.cluster.now());
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.copies()).isZero();
    }

    /** The version that wrote them is retired by then; its manifest still names the drained store. */
    @Test
    void movedSharedChunksAreNotTakenForSuperfluousCopies() throws CloudMwException {
        World world = new World(7);
        FileVersion base = world.written("/f", 4);
        world.commit(base);
        drain(world, "d1");
        var unused = world.cluster
                .coordinator
                .upkeep()
                .drain(new DrainOrder(List.of(new StoreId("d1")), Optional.empty(), false));
        FileVersion changed = world.cluster.edit(FilePath.parse("v:/f"), Edit.append(MIB));
        for (Chunk chunk : world.cluster.segment(changed.id(), 0)) {
            if (chunk.id().version().equals(changed.id())) {
                chunk.replicas().forEach(store -> world.store(store).add(chunk.id()));
            }
        }
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.store(new StoreId("d1")))
                .noneMatch(chunk -> chunk.version().equals(base.id()));
        world.nothingNamedIsMissing(7);
    }

    /** The chunks stay at other indexes of another file until that file is gone, too. */
    @Test
    void chunksOfRemovedPartsStayWithTheWhole() throws CloudMwException {
        World world = new World(9);
        List<String> paths = List.of("/f", "/p", "/q");
        for (String path : paths) {
            world.commit(world.written(path, 3));
        }
        world.concatenate("/f", paths.subList(1, 3));
        FileVersion whole =
                world.cluster.catalog.current(FilePath.parse("v:/f")).orElseThrow();
        assertThat(world.cluster.segment(whole.id(), 0))
                .hasSize(9)
                .noneMatch(chunk -> chunk.id().version().equals(whole.id()));
        collectAll(world);
        assertThat(world.copies()).isEqualTo(18);
        world.nothingNamedIsMissing(9);
        assertThat(world.cluster.catalog.retired("", 10).items()).isEmpty();
        var unused = world.cluster.edit(whole.file(), Edit.truncate(4 * MIB));
        collectAll(world);
        assertThat(world.copies()).isEqualTo(8);
        world.nothingNamedIsMissing(9);
        world.cluster.catalog.remove(whole.file(), world.cluster.now());
        collectAll(world);
        assertThat(world.copies()).isZero();
    }

    /** The version that wrote the chunks was forgotten before, so that only the last one that shares them is retired. */
    @Test
    void lentChunksAreDeletedWithTheLastVersionThatSharesThem() throws CloudMwException {
        World world = new World(10);
        world.commit(world.written("/f", 4));
        FileVersion shorter = world.cluster.edit(FilePath.parse("v:/f"), Edit.truncate(3 * MIB));
        collectAll(world);
        assertThat(world.copies()).isEqualTo(6);
        assertThat(world.cluster.catalog.retired("", 10).items()).isEmpty();
        world.cluster.catalog.remove(shorter.file(), world.cluster.now());
        collectAll(world);
        assertThat(world.copies()).isZero();
        assertThat(world.cluster.catalog.retired("", 10).items()).isEmpty();
    }

    @Test
    void packIsCollectedAfterTheLastFileThatNamesIt() throws CloudMwException {
        World world = new World(12);
        Chunk pack = world.pack("/a", "/b", "/c");
        collectAll(world);
        world.cluster.catalog.remove(FilePath.parse("v:/a"), world.cluster.now());
        world.commit(world.written("/b", 1));
        collectAll(world);
        assertThat(world.copies()).as("one of its files is left").isEqualTo(4);
        world.nothingNamedIsMissing(12);
        world.cluster.catalog.remove(FilePath.parse("v:/c"), world.cluster.now());
        collectAll(world);
        assertThat(world.copies()).isEqualTo(2);
        assertThat(world.cluster.catalog.packs("", 10).items()).isEmpty();
        assertThat(world.cluster.catalog.state(pack.id().version())).isEmpty();
        assertThat(world.cluster.catalog.retired("", 10).items()).isEmpty();
    }

    /** The writer of a new pack may still commit files in it. */
    @Test
    void youngPackWithoutFilesStays() throws CloudMwException {
        World world = new World(13);
        world.collects(true, Duration.ofDays(365));
        world.restart(0);
        Chunk pack = world.pack("/a");
        world.cluster.catalog.remove(FilePath.parse("v:/a"), world.cluster.now());
        world.round(false);
        assertThat(world.cluster.catalog.state(pack.id().version())).contains(VersionState.CURRENT);
        world.leap(GRACE.plusHours(1));
        world.round(true);
        assertThat(world.cluster.catalog.state(pack.id().version())).as("dry").contains(VersionState.CURRENT);
        world.round(false);
        assertThat(world.cluster.catalog.state(pack.id().version())).contains(VersionState.RETIRED);
    }

    private static void collectAll(World world) throws CloudMwException {
        for (int i = 0; i < 4; i++) {
            world.round(false);
            world.leap(GRACE.plusHours(1));
        }
    }

    @Test
    void copiesOfAnOpenUploadStay() throws CloudMwException {
        World world = new World(4);
        FileVersion open = world.written("/f", 4);
        for (int i = 0; i < 3; i++) {
            world.round(false);
            assertThat(world.last().findings().unnamed().copies()).isZero();
            world.leap(GRACE.plusHours(1));
        }
        world.commit(open);
        world.nothingNamedIsMissing(4);
        assertThat(world.copies()).isEqualTo(8);
    }

    /** The writer was suspended meanwhile. Its commit fails, since its chunks are gone. */
    @Test
    void abandonedUploadLeavesOnlyItsId() throws CloudMwException {
        World world = new World(8);
        FileVersion slow = world.written("/f", 4);
        world.leap(Duration.ofDays(8));
        assertThat(world.cluster.coordinator.retireAbandoned()).isOne();
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.copies()).isZero();
        world.round(false);
        assertThat(world.cluster.catalog.segment(slow.id(), 0)).isEmpty();
        assertThat(world.cluster.catalog.retired("", 10).items()).isEmpty();

        CloudMwException late = catchThrowableOfType(CloudMwException.class, () -> world.commit(slow));
        assertThat(late.code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(late).hasMessageContaining("was abandoned without progress");
        assertThat(world.cluster.coordinator.uploads().resume(slow.id())).isFalse();
        world.store(new StoreId("d1")).add(new ChunkId(slow.id(), 3));
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.copies()).as("what it writes late goes too").isZero();
        assertThat(world.cluster.catalog.records(slow.id(), 0, 10)).isEmpty();
    }

    /** Its copies in an absent store would otherwise be unknown and stay for ever. */
    @Test
    void versionIsForgottenAfterAllStoresWereListed() throws CloudMwException {
        World world = new World(10);
        FileVersion gone = world.written("/f", 8);
        world.commit(gone);
        world.cluster.catalog.remove(gone.file(), world.cluster.now());
        world.away.add(1);
        int there = world.store(new StoreId("d1")).size();
        assertThat(there).isPositive();
        for (int i = 0; i < 4; i++) {
            world.leap(GRACE.plusHours(1));
            world.round(false);
        }
        assertThat(world.copies()).isEqualTo(there);
        assertThat(world.cluster.catalog.state(gone.id())).isPresent();
        world.away.clear();
        for (int i = 0; i < 3; i++) {
            world.leap(GRACE.plusHours(1));
            world.round(false);
        }
        assertThat(world.copies()).isZero();
        assertThat(world.cluster.catalog.state(gone.id())).isEmpty();
    }

    @Test
    void disabledCollectionDeletesAndForgetsNothingAndOnlyDryRunsList() throws CloudMwException {
        World world = new World(9);
        FileVersion gone = world.written("/f", 4);
        world.commit(gone);
        world.cluster.catalog.remove(gone.file(), world.cluster.now());
        CoordinatorOptions options = world.cluster.options;
        world.collects(false, options.upkeep().collectEvery());
        world.restart(0);
        CloudMwException refused = catchThrowableOfType(
                CloudMwException.class, () -> world.cluster.coordinator.upkeep().collect(UUID.randomUUID(), false));
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        for (int i = 0; i < 4; i++) {
            world.leap(GRACE.plusHours(1));
            world.pass(10);
            world.work(0);
        }
        assertThat(world.cluster.coordinator.upkeep().status().collect().rounds())
                .isZero();
        world.round(true);
        assertThat(world.last().findings().unnamed().copies()).isEqualTo(8);
        assertThat(world.copies()).isEqualTo(8);
        assertThat(world.cluster.catalog.retired("", 10).items()).hasSize(1);

        world.cluster.options = options;
        world.restart(0);
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.copies()).isZero();
    }

    @Test
    void drainedCopiesAreDeletedThereAndNowhereElse() throws CloudMwException {
        World world = new World(5);
        world.commit(world.written("/f", 10));
        drain(world, "d1");
        world.round(false);
        world.leap(GRACE.plusHours(1));
        world.round(false);
        assertThat(world.store(new StoreId("d1"))).isEmpty();
        assertThat(world.copies()).isEqualTo(20);
        world.nothingNamedIsMissing(5);
    }

    private static void drain(World world, String store) throws CloudMwException {
        var unused = world.cluster
                .coordinator
                .upkeep()
                .drain(new DrainOrder(List.of(new StoreId(store)), Optional.empty(), true));
        for (int i = 0; i < 30; i++) {
            world.pass(2);
            world.work(0);
        }
    }

    @Test
    void referencedCopiesStayAndAllOthersAreDeletedInTheEnd() throws CloudMwException {
        for (long seed : LongStream.range(100, 130).toArray()) {
            World world = new World(seed);
            Map<String, FileVersion> open = new HashMap<>();
            for (int i = 0; i < 60; i++) {
                disturb(world, open);
                world.pass(world.random.nextInt(4));
                world.work(0.2);
                world.nothingNamedIsMissing(seed);
            }
            quiet(world);
            world.nothingNamedIsMissing(seed);
            world.nothingElseIsLeft(seed);
        }
    }

    private static void disturb(World world, Map<String, FileVersion> open) throws CloudMwException {
        String path = "/f" + world.random.nextInt(5);
        switch (world.random.nextInt(15)) {
            case 0, 1 -> open.put(path, world.written(path, 1 + world.random.nextInt(3)));
            case 2, 3 -> {
                FileVersion version = open.remove(path);
                if (version != null && isOpen(world, version)) {
                    world.commit(version);
                }
            }
            case 4 -> {
                if (world.cluster.catalog.current(FilePath.parse("v:" + path)).isPresent()) {
                    world.cluster.catalog.remove(FilePath.parse("v:" + path), world.cluster.now());
                }
            }
            case 5 -> world.stray();
            case 6 -> world.restart(world.random.nextInt(1_200_000) - 600_000);
            case 7 -> damage(world);
            case 8, 9 -> world.silence();
            case 10, 11 -> {
                int number = Integer.parseInt(path.substring(2));
                world.concatenate(path, List.of("/f" + (number + 1) % 5, "/f" + (number + 2) % 5));
            }
            case 12, 13 -> {
                Chunk unused = world.pack(path, "/f" + (Integer.parseInt(path.substring(2)) + 1) % 5, "/small");
            }
            default -> {
                world.leap(Duration.ofHours(1 + world.random.nextInt(9)));
                var unused =
                        world.cluster.coordinator.upkeep().collect(UUID.randomUUID(), world.random.nextInt(4) == 0);
            }
        }
    }

    private static boolean isOpen(World world, FileVersion version) throws CloudMwException {
        return world.cluster.catalog.resume(version.id(), world.cluster.now());
    }

    /** Loses and reports a copy, which is made again, perhaps elsewhere. */
    private static void damage(World world) throws CloudMwException {
        Map<ChunkId, List<StoreId>> placed = new HashMap<>();
        world.named()
                .forEach((store, chunks) ->
                        chunks.forEach(chunk -> placed.computeIfAbsent(chunk, ignored -> new ArrayList<>())
                                .add(store)));
        List<ReplicaReport> candidates = new ArrayList<>();
        placed.forEach((chunk, stores) -> {
            if (stores.size() > 1) {
                candidates.add(new ReplicaReport(chunk, stores.get(0), ReplicaState.MISSING));
            }
        });
        if (!candidates.isEmpty()) {
            ReplicaReport lost = candidates.get(world.random.nextInt(candidates.size()));
            world.store(lost.store()).remove(lost.chunk());
            world.cluster.catalog.report(List.of(lost), world.cluster.now());
        }
    }

    /** Lets all helpers return, open uploads be abandoned, repair end, and collection run. */
    private static void quiet(World world) throws CloudMwException {
        world.away.clear();
        world.leap(Duration.ofDays(8));
        var unused = world.cluster.coordinator.retireAbandoned();
        for (int i = 0; i < 120; i++) {
            world.pass(2);
            world.work(0);
        }
        for (int i = 0; i < 3; i++) {
            world.round(false);
            world.leap(GRACE.plusHours(1));
        }
        world.round(false);
    }
}
