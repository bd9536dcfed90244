package io.cloudmw.coordinator.upkeep.compact;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.names.SmallFile;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepClock;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upload.SmallFileCommits;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.core.wire.UpkeepWire;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests of compaction with stores in memory that have every byte. Whatever helpers, users and coordinators do, each file
 * is read right by a plan of that moment, from every copy.
 */
final class PackCompactionTest {
    private static final int HELPERS = 4;
    private static final int CHUNK_BYTES = 4096;
    private static final Duration GRACE = Duration.ofHours(7);
    private static final Comparator<ChunkId> BY_NAME = Comparator.comparing(ChunkId::toString);

    /** Small files whose bytes are in one pack. */
    private record WrittenFiles(Chunk pack, List<BatchFile> files) {}

    private static final class World {
        private final TestCluster cluster = new TestCluster();
        private final Map<StoreId, Map<ChunkId, byte[]>> stores = new TreeMap<>();

        /** The content of all versions that were ever committed. */
        private final Map<VersionId, byte[]> contents = new HashMap<>();

        private final Random random;

        /** Whether helpers fail to make packs. */
        private boolean failing;

        /** How many bytes disks have free; empty: helpers do not tell. */
        private OptionalLong freeBytes = OptionalLong.empty();

        /** The length of files; empty: random ones. */
        private OptionalInt fileBytes = OptionalInt.empty();

        /** Changes what a helper reports of the pack that it has made. */
        private UnaryOperator<Chunk> reported = UnaryOperator.identity();

        World(long seed) throws CloudMwException {
            this(seed, TestCluster.volume("v", 2, 1, "d1", "d2", "d3", "d4"));
        }

        World(long seed, Volume volume) throws CloudMwException {
            random = new Random(seed);
            // Rounds begin when the test asks for them.
            cluster.options = options(cluster.options, Duration.ofDays(3000), 50);
            cluster.restart();
            register();
            cluster.coordinator.administration().createVolume(volume, Optional.empty());
            for (int number = 1; number <= HELPERS; number++) {
                stores.put(new StoreId("d" + number), new TreeMap<>(BY_NAME));
            }
            pass(1);
        }

        /** Creates a world whose files are one chunk long. */
        static World ofChunks(long seed) throws CloudMwException {
            Volume volume = TestCluster.volume("v", 2, 1, "d1", "d2", "d3", "d4");
            World world = new World(
                    seed,
                    new Volume(
                            volume.name(),
                            new Chunking.BySize(CHUNK_BYTES),
                            volume.replicas(),
                            volume.stores(),
                            volume.writeQuorum(),
                            volume.mode(),
                            false,
                            0));
            world.fileBytes = OptionalInt.of(CHUNK_BYTES);
            return world;
        }

        private void register() throws CloudMwException {
            for (int number = 1; number <= HELPERS; number++) {
                cluster.helper(number);
            }
        }

        private Map<ChunkId, byte[]> store(StoreId id) {
            return stores.computeIfAbsent(id, absent -> new TreeMap<>(BY_NAME));
        }

        void pass(int seconds) throws CloudMwException {
            for (int i = 0; i < seconds; i++) {
                cluster.ticker.advance(Duration.ofSeconds(1));
                for (int number = 1; number <= HELPERS; number++) {
                    if (freeBytes.isPresent()) {
                        cluster.heartbeat(number, freeBytes.getAsLong(), 1);
                    } else {
                        cluster.heartbeat(number);
                    }
                }
                cluster.coordinator.upkeep().tick();
            }
        }

        void leap(Duration time) throws CloudMwException {
            cluster.ticker.advance(time);
            register();
            pass(1);
        }

        void restart() throws CloudMwException {
            cluster.ticker.advance(Duration.ofMinutes(2));
            cluster.restart();
            register();
            pass(3);
        }

        /** Puts files named by numbers in one pack; returns the pack's version. */
        VersionId pack(int from, int end) throws CloudMwException {
            WrittenFiles written = written(from, end);
            commit(written, end - from);
            return written.pack().id().version();
        }

        void commit(WrittenFiles written, int count) throws CloudMwException {
            commit(written, 0, count);
        }

        void commit(WrittenFiles written, int from, int end) throws CloudMwException {
            assertThat(cluster.coordinator
                            .smallFiles()
                            .commit(
                                    TestCluster.VOLUME,
                                    Optional.of(new SmallFileCommits.WrittenPack(written.pack(), List.of())),
                                    written.files().subList(from, end)))
                    .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class));
        }

        /** Stores files named by numbers in one pack, and commits nothing. */
        WrittenFiles written(int from, int end) throws CloudMwException {
            VersionId id = VersionId.random();
            List<StoreId> placed = cluster.coordinator
                    .uploads()
                    .place(FilePath.ofPack(TestCluster.VOLUME, id), id, 0, 1, Set.of())
                    .placements()
                    .get(0)
                    .stores();
            int leaf = cluster.catalog
                    .volume(TestCluster.VOLUME)
                    .orElseThrow()
                    .chunking()
                    .leafSizeBytes();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            List<BatchFile> files = new ArrayList<>();
            for (int i = from; i < end; i++) {
                byte[] content = new byte[fileBytes.orElseGet(() -> 50 + random.nextInt(200))];
                random.nextBytes(content);
                ChunkId slice = new ChunkId(id, 0).slice(new ByteRange(all.size(), content.length));
                files.add(PackSamples.file(path(i), VersionId.random(), chunk(slice, content, leaf, placed)));
                all.writeBytes(content);
                contents.put(files.get(files.size() - 1).version().id(), content);
            }
            Chunk whole = chunk(new ChunkId(id, 0), all.toByteArray(), leaf, placed);
            placed.forEach(store -> store(store).put(whole.id(), all.toByteArray()));
            return new WrittenFiles(whole, files);
        }

        /** Edits a file; its bytes stay. */
        FileVersion edit(int file, Edit edit) throws CloudMwException {
            byte[] before = content(file);
            FileVersion edited = cluster.edit(path(file), edit);
            if (edited.sizeBytes() == before.length) {
                contents.put(edited.id(), before);
            }
            return edited;
        }

        byte[] content(int file) throws CloudMwException {
            return Objects.requireNonNull(contents.get(
                    cluster.catalog.current(path(file)).orElseThrow().id()));
        }

        void remove(int from, int end) throws CloudMwException {
            for (int i = from; i < end; i++) {
                cluster.catalog.remove(path(i), cluster.now());
            }
        }

        /** Lets helpers work; {@code trouble} is the share of tasks that fail, or are done and never reported. */
        void work(double trouble) throws CloudMwException {
            for (int number = 1; number <= HELPERS; number++) {
                HelperId helper = new HelperId("h" + number);
                TaskBatch batch = UpkeepWire.handout(
                        UpkeepWire.handout(cluster.coordinator.upkeep().work(helper, List.of(), 16)));
                for (TaskBatch.Assignment given : batch.assignments()) {
                    boolean fails = random.nextDouble() < trouble || (failing && given.task() instanceof Task.Compact);
                    TaskResult result = fails
                            ? new TaskResult(
                                    given.number(),
                                    Optional.of(ErrorCode.STORE_UNAVAILABLE),
                                    "",
                                    0,
                                    List.of(),
                                    Optional.empty())
                            : done(given);
                    if (random.nextDouble() >= trouble) {
                        List<TaskResult> results = UpkeepWire.results(UpkeepWire.request("", List.of(result), 0));
                        var unused = cluster.coordinator.upkeep().work(helper, results, 0);
                    }
                }
            }
        }

        private TaskResult done(TaskBatch.Assignment given) {
            Task task = given.task();
            Map<ChunkId, byte[]> store = store(task.store().id());
            Page<StoredChunk> page = new Page<>(List.of(), "");
            Optional<Chunk> made = Optional.empty();
            if (task instanceof Task.Survey survey) {
                page = new Page<>(
                        store.entrySet().stream()
                                .filter(chunk -> chunk.getKey().toString().compareTo(survey.after()) > 0)
                                .map(chunk -> new StoredChunk(chunk.getKey(), chunk.getValue().length))
                                .toList(),
                        "");
            } else if (task instanceof Task.Delete delete) {
                delete.chunks().forEach(store::remove);
            } else if (task instanceof Task.Copy copy) {
                store.put(copy.chunk().id(), source(copy));
            } else if (task instanceof Task.Compact compact) {
                made = Optional.of(reported.apply(made(compact, store)));
            }
            return new TaskResult(
                    given.number(), Optional.empty(), "", task.bytes(), List.of(), Optional.empty(), page, made);
        }

        private byte[] source(Task.FromSources task) {
            return Objects.requireNonNull(
                    store(task.sources().get(0).id()).get(task.chunk().id()),
                    () -> "source of " + task.chunk().id());
        }

        private Chunk made(Task.Compact task, Map<ChunkId, byte[]> store) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] source = source(task);
            task.kept().forEach(range -> bytes.write(source, (int) range.offset(), (int) range.length()));
            bytes.writeBytes(BackupWire.packEnd(task.place()));
            store.put(task.place().chunk(), bytes.toByteArray());
            return chunk(
                    task.place().chunk(),
                    bytes.toByteArray(),
                    task.chunk().leafSizeBytes(),
                    List.of(task.store().id()));
        }

        void round() throws CloudMwException {
            finish(cluster.coordinator.upkeep().collect(UUID.randomUUID(), false));
        }

        void finish(long number) throws CloudMwException {
            for (int i = 0; i < 1000 && rounds() < number; i++) {
                pass(1);
                work(0);
            }
            assertThat(rounds()).isGreaterThanOrEqualTo(number);
        }

        private long rounds() throws CloudMwException {
            return cluster.coordinator.upkeep().status().collect().rounds();
        }

        CollectRound last() throws CloudMwException {
            return cluster.coordinator.upkeep().status().collect().last();
        }

        /** Begins a round, and passes time until helpers can take the tasks of a compaction. */
        long begin() throws CloudMwException {
            long number = cluster.coordinator.upkeep().collect(UUID.randomUUID(), false);
            for (int i = 0; i < 100 && cluster.coordinator.upkeep().status().waitingTasks() == 0; i++) {
                pass(1);
            }
            return number;
        }

        void collectAll() throws CloudMwException {
            for (int i = 0; i < 4; i++) {
                round();
                leap(GRACE.plusHours(1));
            }
        }

        /** Gives up the versions of coordinators that died. */
        void abandon() throws CloudMwException {
            leap(Duration.ofDays(8));
            var unused = cluster.coordinator.retireAbandoned();
        }

        private byte[] read(FilePath file, FileVersion version) throws CloudMwException {
            var segment = cluster.coordinator.reads().segment(file, version.id(), 0, List.of(), false);
            PlannedChunk planned = segment.chunks().get(0);
            byte[] manifest = new ManifestSegment(0, List.of(planned.inManifest())).encode();
            assertThat(HexFormat.of().formatHex(ManifestDigest.ofSegment(manifest)))
                    .as("the manifest of %s", file)
                    .isEqualTo(segment.sha256());
            Chunk chunk = planned.chunk();
            cluster.coordinator.names().stat(file.volume(), List.of(file), true).get(0).stream()
                    .filter(current -> current.file().version().id().equals(version.id()))
                    .forEach(current -> assertThat(current.packed())
                            .as("the slice of %s", file)
                            .contains(new SmallFile.Packed(chunk, planned.inManifest())));
            assertThat(planned.token()).isPresent();
            ByteRange slice = chunk.id().slice().orElseThrow();
            List<byte[]> copies = new ArrayList<>();
            for (StoreId store : chunk.replicas()) {
                byte[] bytes = Objects.requireNonNull(
                        store(store).get(chunk.id().stored()), () -> chunk.id() + " in " + store);
                copies.add(Arrays.copyOfRange(bytes, (int) slice.offset(), (int) slice.end()));
            }
            assertThat(copies).hasSize(2).allSatisfy(copy -> assertThat(copy).isEqualTo(copies.get(0)));
            assertThat(ChunkDigester.digest(ByteBuffer.wrap(copies.get(0)), chunk.leafSizeBytes()))
                    .isEqualTo(chunk.leaves());
            return copies.get(0);
        }

        /** Checks the content of all versions that a path or a snapshot names; returns their number. */
        int everyFileIsRight(String when) throws CloudMwException {
            int files = 0;
            for (FileVersion version : cluster.catalog.live("", 1000).items()) {
                if (contents.containsKey(version.id())) {
                    assertThat(read(version.file(), version)).as(when).isEqualTo(contents.get(version.id()));
                    files++;
                }
            }
            return files;
        }

        long compactedPacks() throws CloudMwException {
            long compacted = 0;
            for (VersionId pack : packs()) {
                compacted += cluster.catalog.relocationTo(pack).isPresent() ? 1 : 0;
            }
            return compacted;
        }

        List<VersionId> packs() throws CloudMwException {
            return cluster.catalog.packs("", 1000).items().stream()
                    .map(FileVersion::id)
                    .toList();
        }

        long storedBytes() {
            return stores.values().stream()
                    .flatMap(store -> store.values().stream())
                    .mapToLong(bytes -> bytes.length)
                    .sum();
        }

        long copies() {
            return stores.values().stream().mapToLong(Map::size).sum();
        }
    }

    private static FilePath path(int file) {
        return new FilePath(TestCluster.VOLUME, "/f" + file);
    }

    private static Chunk chunk(ChunkId id, byte[] bytes, int leaf, List<StoreId> stores) {
        return new Chunk(
                0,
                id,
                new ByteRange(0, bytes.length),
                leaf,
                ChunkDigester.digest(ByteBuffer.wrap(bytes), leaf),
                stores);
    }

    /** A pack of a hundred files, of which some were removed longer ago than the grace. */
    private static VersionId aged(World world, int removed) throws CloudMwException {
        VersionId pack = world.pack(0, 100);
        world.remove(0, removed);
        world.leap(GRACE.plusHours(1));
        return pack;
    }

    @Test
    void packOfWhichLessThanHalfIsNeededIsReplaced() throws Exception {
        World world = new World(1);
        VersionId pack = aged(world, 70);
        long before = world.storedBytes();
        world.round();
        assertThat(world.last().compacted().copies()).isEqualTo(1);
        assertThat(world.packs()).hasSize(1).doesNotContain(pack);
        assertThat(world.everyFileIsRight("compacted")).isEqualTo(30);
        assertThat(world.cluster.catalog.state(pack)).contains(VersionState.RETIRED);
        assertThat(world.copies()).as("the old copies stay for the grace").isEqualTo(4);
        long freed = world.last().compacted().bytes();
        world.collectAll();
        assertThat(world.everyFileIsRight("collected")).isEqualTo(30);
        assertThat(world.copies()).isEqualTo(2);
        assertThat(world.storedBytes()).isEqualTo(before - freed).isLessThan(before / 2);
        assertThat(world.cluster.catalog.state(pack)).contains(VersionState.LENT);
    }

    @Test
    void packOfWhichMoreThanHalfIsNeededStays() throws Exception {
        World world = new World(2);
        VersionId pack = aged(world, 40);
        world.collectAll();
        assertThat(world.packs()).containsExactly(pack);
        assertThat(world.last().compacted().copies()).isZero();
        assertThat(world.everyFileIsRight("collected")).isEqualTo(60);
    }

    /** Its writer may still commit files, as long as its token is valid. */
    @Test
    void youngPackTakesFiles() throws Exception {
        World world = new World(3);
        WrittenFiles written = world.written(0, 100);
        world.commit(written, 10);
        world.leap(Duration.ofHours(1));
        world.round();
        world.commit(written, 100);
        assertThat(world.packs()).containsExactly(written.pack().id().version());
        assertThat(world.everyFileIsRight("all are committed")).isEqualTo(100);
    }

    @Test
    void compactedPackIsCompactedAgainAndCollectedAfterItsLastFile() throws Exception {
        World world = new World(4);
        VersionId pack = aged(world, 60);
        world.collectAll();
        VersionId first = world.packs().get(0);
        world.remove(60, 90);
        world.leap(GRACE.plusHours(1));
        world.round();
        assertThat(world.packs()).hasSize(1).doesNotContain(first);
        assertThat(world.everyFileIsRight("twice")).isEqualTo(10);
        world.collectAll();
        assertThat(world.everyFileIsRight("collected")).isEqualTo(10);
        assertThat(world.copies()).isEqualTo(2);
        world.remove(90, 100);
        world.collectAll();
        assertThat(world.copies()).isZero();
        assertThat(world.packs()).isEmpty();
        assertThat(world.cluster.catalog.state(pack)).isEmpty();
        assertThat(world.cluster.catalog.relocation(pack)).isEmpty();
    }

    @Test
    void filesOfASnapshotAreNeeded() throws Exception {
        World world = new World(5);
        VersionId pack = world.pack(0, 100);
        world.cluster.catalog.snapshots().create(TestCluster.VOLUME, "s", world.cluster.now());
        world.remove(0, 70);
        world.collectAll();
        assertThat(world.packs()).containsExactly(pack);
        assertThat(world.everyFileIsRight("in the snapshot")).isEqualTo(100);
    }

    @Test
    void onlyTheSliceOfAFileThatWasAppendedToIsNeeded() throws Exception {
        World world = World.ofChunks(12);
        VersionId pack = aged(world, 99);
        byte[] content = world.content(99);
        FileVersion longer = world.edit(99, Edit.append(75 * CHUNK_BYTES));
        world.leap(GRACE.plusHours(1));
        world.round();
        assertThat(world.last().compacted().copies()).isEqualTo(1);
        PackRelocation place = world.cluster.catalog.relocation(pack).orElseThrow();
        assertThat(place.kept()).containsExactly(new ByteRange(99 * CHUNK_BYTES, CHUNK_BYTES));
        List<PlannedChunk> chunks = world.cluster
                .coordinator
                .reads()
                .segment(path(99), longer.id(), 0, List.of(), false)
                .chunks();
        assertThat(chunks).hasSize(76);
        Chunk first = chunks.get(0).chunk();
        assertThat(first.id()).isEqualTo(place.chunk().slice(new ByteRange(0, CHUNK_BYTES)));
        for (StoreId store : first.replicas()) {
            assertThat(world.store(store).get(place.chunk())).startsWith(content);
        }
    }

    /** An append of nothing makes one. */
    @Test
    void versionsThatNameTheSameSliceCountOnce() throws Exception {
        World world = new World(13);
        VersionId pack = aged(world, 70);
        for (int file = 70; file < 100; file++) {
            FileVersion unused = world.edit(file, Edit.append(0));
            FileVersion unusedToo = world.edit(file, Edit.append(0));
        }
        world.round();
        assertThat(world.packs()).hasSize(1).doesNotContain(pack);
        assertThat(world.everyFileIsRight("compacted")).isEqualTo(30);
    }

    /** Otherwise it would refuse files, and no smaller pack would take its place. */
    @Test
    void packThatCannotBeCompactedNowIsNotClosed() throws Exception {
        World world = new World(14);
        WrittenFiles written = world.written(0, 100);
        world.commit(written, 99);
        world.remove(0, 70);
        world.leap(GRACE.plusHours(1));
        world.freeBytes = OptionalLong.of(0);
        world.round();
        world.commit(written, 99, 100);
        assertThat(world.packs()).containsExactly(written.pack().id().version());
        world.freeBytes = OptionalLong.of(1 << 30);
        world.round();
        assertThat(world.packs()).hasSize(1).doesNotContain(written.pack().id().version());
        assertThat(world.everyFileIsRight("compacted")).isEqualTo(30);
    }

    @Test
    void packOfAFileWithALongManifestIsNotClosed() throws Exception {
        World world = World.ofChunks(15);
        WrittenFiles written = world.written(0, 100);
        world.commit(written, 99);
        world.remove(0, 98);
        FileVersion longer = world.edit(98, Edit.append((long) CHUNK_BYTES * 16 * ManifestSegment.MAX_CHUNKS));
        assertThat(longer.segmentCount()).isEqualTo(17);
        world.leap(GRACE.plusHours(1));
        world.round();
        world.commit(written, 99, 100);
        assertThat(world.packs()).containsExactly(written.pack().id().version());
    }

    /** Between the search for needed bytes and the commit. */
    @Test
    void changesDuringACompactionLoseNothing() throws Exception {
        World world = new World(6);
        VersionId pack = aged(world, 70);
        long round = world.begin();
        assertThat(world.cluster.catalog.relocation(pack)).isEmpty();
        world.cluster.catalog.copy(
                new FileCopy(path(80), new FilePath(TestCluster.VOLUME, "/copy"), false),
                ChangeRequest.once(world.cluster.now()));
        world.remove(70, 75);
        world.cluster.catalog.snapshots().create(TestCluster.VOLUME, "s", world.cluster.now());
        world.remove(75, 90);
        world.finish(round);
        assertThat(world.packs()).hasSize(1).doesNotContain(pack);
        world.collectAll();
        assertThat(world.everyFileIsRight("collected")).isEqualTo(25);
        world.cluster.catalog.snapshots().restore("s", path(76), world.cluster.now());
        assertThat(world.everyFileIsRight("restored")).isEqualTo(25);
    }

    /** Its last files may be restored from a snapshot until the bytes are collected. */
    @Test
    void fileRemovedAMomentBeforeIsKept() throws Exception {
        World world = new World(7);
        VersionId pack = aged(world, 70);
        world.remove(70, 71);
        world.round();
        PackRelocation place = world.cluster.catalog.relocation(pack).orElseThrow();
        long needed = 0;
        for (FileVersion file : world.cluster.catalog.live("", 1000).items()) {
            needed += world.contents.getOrDefault(file.id(), new byte[0]).length;
        }
        assertThat(place.keptBytes()).isGreaterThan(needed);
    }

    @Test
    void coordinatorThatDiesLeavesThePackAsItWas() throws Exception {
        World world = new World(8);
        VersionId pack = aged(world, 70);
        long unused = world.begin();
        world.work(0.5);
        world.restart();
        assertThat(world.packs()).containsExactly(pack);
        assertThat(world.everyFileIsRight("restarted")).isEqualTo(30);
        world.round();
        assertThat(world.packs()).hasSize(1).doesNotContain(pack);
        world.abandon();
        world.collectAll();
        assertThat(world.everyFileIsRight("collected")).isEqualTo(30);
        assertThat(world.copies()).as("copies of the first try are garbage").isEqualTo(2);
    }

    @Test
    void packStaysWhenHelpersFail() throws Exception {
        World world = new World(9);
        VersionId pack = aged(world, 70);
        world.failing = true;
        world.round();
        assertThat(world.packs()).containsExactly(pack);
        assertThat(world.cluster.catalog.open("", 10).items())
                .as("it is given up")
                .isEmpty();
        world.failing = false;
        world.collectAll();
        assertThat(world.packs()).hasSize(1).doesNotContain(pack);
        assertThat(world.copies()).isEqualTo(2);
        assertThat(world.everyFileIsRight("collected")).isEqualTo(30);
    }

    @Test
    void copiesThatDifferReplaceNothing() throws Exception {
        World world = new World(10);
        VersionId pack = aged(world, 70);
        world.reported = chunk -> {
            byte[] other = new byte[(int) chunk.range().length()];
            world.random.nextBytes(other);
            return chunk(chunk.id(), other, chunk.leafSizeBytes(), chunk.replicas());
        };
        world.round();
        assertThat(world.packs()).containsExactly(pack);
        assertThat(world.last().compacted().copies()).isZero();
        world.reported = UnaryOperator.identity();
        world.collectAll();
        assertThat(world.copies()).as("what helpers have written is collected").isEqualTo(2);
        assertThat(world.everyFileIsRight("collected")).isEqualTo(30);
    }

    /** Puts packs of which little is needed; returns their versions in order. */
    private static List<VersionId> agedPacks(World world, int count) throws CloudMwException {
        List<VersionId> packs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            packs.add(world.pack(i * 20, i * 20 + 20));
            world.remove(i * 20, i * 20 + 18);
        }
        world.leap(GRACE.plusHours(1));
        packs.sort(Comparator.comparing(VersionId::value));
        return packs;
    }

    /** A compaction without the other jobs of upkeep. */
    private static final class Rounds {
        private final World world;
        private final TaskQueue queue;
        private final List<CopyTotal> replaced = new ArrayList<>();
        private final PackCompaction compaction;

        /** The packs of which helpers make no copy. */
        private Set<VersionId> failing = Set.of();

        /** @param mostPacks the most compactions that one round begins */
        Rounds(World world, int mostPacks) throws CloudMwException {
            this.world = world;
            TestCluster cluster = world.cluster;
            Lease lease = cluster.catalog
                    .leases()
                    .acquire("compaction", "test", Duration.ofDays(1), cluster.now())
                    .orElseThrow();
            queue = new TaskQueue(cluster.ticker, Duration.ofHours(1).toNanos(), 1);
            UpkeepContext context = new UpkeepContext(
                    cluster.catalog,
                    lease,
                    cluster.options.upkeep(),
                    new UpkeepClock(cluster.catalog, lease, cluster.ticker),
                    cluster.ticker,
                    cluster::now,
                    GRACE.toMillis());
            compaction = new PackCompaction(context, queue, replaced::add, mostPacks);
            Map<StoreId, StoreCondition> stores = new HashMap<>();
            for (int number = 1; number <= HELPERS; number++) {
                StoreCandidate candidate = new StoreCandidate(TestCluster.disk(number), "", 1);
                stores.put(
                        candidate.store().id(),
                        new StoreCondition(candidate, Long.MAX_VALUE, true, Duration.ZERO, false, false));
            }
            compaction.look(stores);
        }

        /** Runs a round, which ends early when so many packs were replaced in all. */
        void round(int end) throws CloudMwException {
            compaction.begin(world.cluster.now());
            while ((compaction.step() || compaction.isBusy()) && replaced.size() < end) {
                for (int number = 1; number <= HELPERS; number++) {
                    queue.take(new HelperId("h" + number), TaskQueue.MAX_ASSIGNED)
                            .forEach(this::work);
                }
            }
            compaction.end();
        }

        private void work(TaskQueue.Assignment given) {
            Task.Compact task = (Task.Compact) given.task();
            Runnable done = () -> queue.done(given.number());
            if (failing.contains(task.place().original())) {
                done.run();
            } else {
                compaction.made(task, world.made(task, world.store(task.store().id())), done);
            }
        }
    }

    /** As many packs as one round begins to compact fail in each round. */
    @Test
    void packsBehindThoseThatFailHaveTheirTurn() throws Exception {
        World world = new World(16);
        List<VersionId> packs = agedPacks(world, PackCompaction.PAGE + 1);
        Rounds rounds = new Rounds(world, PackCompaction.PAGE);
        rounds.failing = Set.copyOf(packs.subList(0, PackCompaction.PAGE));
        rounds.round(Integer.MAX_VALUE);
        assertThat(rounds.replaced).isEmpty();
        rounds.round(Integer.MAX_VALUE);
        assertThat(rounds.replaced).hasSize(1);
        assertThat(world.cluster.catalog.relocation(packs.get(PackCompaction.PAGE)))
                .isPresent();
    }

    @Test
    void roundAfterOneThatStoppedSeesAllPacks() throws Exception {
        World world = new World(17);
        List<VersionId> packs = agedPacks(world, 150);
        Rounds rounds = new Rounds(world, Integer.MAX_VALUE);
        rounds.failing = Set.copyOf(packs.subList(0, 30));
        rounds.round(80);
        assertThat(world.cluster.catalog.relocation(packs.get(100)))
                .as("in the second page")
                .isPresent();
        rounds.failing = Set.of();
        rounds.round(Integer.MAX_VALUE);
        assertThat(world.compactedPacks()).isEqualTo(150);
        assertThat(world.everyFileIsRight("compacted")).isEqualTo(300);
    }

    @Test
    void compactionIsSwitchedOff() throws Exception {
        World world = new World(11);
        VersionId pack = aged(world, 90);
        world.cluster.options = options(world.cluster.options, Duration.ofDays(3000), 0);
        world.restart();
        world.round();
        assertThat(world.packs()).containsExactly(pack);
    }

    private static CoordinatorOptions options(CoordinatorOptions options, Duration every, int compactBelowPercent) {
        UpkeepOptions upkeep = options.upkeep();
        return new CoordinatorOptions(
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
                        upkeep.collects(),
                        every,
                        upkeep.clockSkew(),
                        compactBelowPercent,
                        upkeep.leaseTerm()));
    }

    @Test
    void nothingIsLostUnderRandomOperations() throws Exception {
        long compacted = 0;
        for (long seed = 0; seed < 40; seed++) {
            World world = new World(seed);
            int next = 0;
            for (int step = 0; step < 40; step++) {
                String when = "seed " + seed + " step " + step;
                switch (world.random.nextInt(9)) {
                    case 0 -> {
                        VersionId unused = world.pack(next, next + 20 + world.random.nextInt(60));
                        next += 80;
                    }
                    case 1, 2 -> {
                        for (int i = 0; i < next; i++) {
                            if (world.random.nextInt(3) == 0) {
                                removeIfThere(world, i);
                            }
                        }
                    }
                    case 3 -> world.leap(Duration.ofMinutes(world.random.nextInt(1000)));
                    case 4 -> {
                        long unused = world.cluster.coordinator.upkeep().collect(UUID.randomUUID(), false);
                        world.pass(3);
                    }
                    case 5 -> world.restart();
                    case 6 -> snapshot(world);
                    default -> {
                        for (int i = 0; i < 20; i++) {
                            world.work(world.random.nextInt(3) * 0.2);
                            world.pass(1);
                        }
                    }
                }
                int unused = world.everyFileIsRight(when);
                compacted += world.compactedPacks();
            }
            world.abandon();
            world.collectAll();
            int unused = world.everyFileIsRight("seed " + seed + " at the end");
            assertThat(world.copies())
                    .as("seed %d", seed)
                    .isEqualTo(2L * world.packs().size());
        }
        assertThat(compacted).isPositive();
    }

    private static void removeIfThere(World world, int file) throws CloudMwException {
        if (world.cluster.catalog.current(path(file)).isPresent()) {
            world.cluster.catalog.remove(path(file), world.cluster.now());
        }
    }

    private static void snapshot(World world) throws CloudMwException {
        if (world.cluster.catalog.snapshots().of(TestCluster.VOLUME).isEmpty()) {
            world.cluster.catalog.snapshots().create(TestCluster.VOLUME, "s", world.cluster.now());
            return;
        }
        for (int i = 0; i < 200; i += 7) {
            if (world.cluster.catalog.current(path(i)).isEmpty() && world.random.nextBoolean()) {
                try {
                    var unused = world.cluster.catalog.snapshots().restore("s", path(i), world.cluster.now());
                } catch (CloudMwException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
                }
            }
        }
        if (world.random.nextBoolean()) {
            var unused = world.cluster.catalog.snapshots().remove(TestCluster.VOLUME, "s");
        }
    }
}
