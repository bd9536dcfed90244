package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.CommitDeadline;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Contract of packs, and of commits of many files in one call. */
public abstract class PacksContract extends CatalogFixture {
    /** Long enough for a catalog that retires a pack in two steps. */
    private static final long LATER_MILLIS = 3_600_000;

    private BatchCommit batch(String... paths) throws CloudMwException {
        return PackSamples.batch(catalog.volume(VOLUME).orElseThrow(), List.of(S1, S2), paths);
    }

    private static Chunk chunk(BatchCommit batch) {
        return batch.pack().orElseThrow().chunk();
    }

    private static VersionId id(BatchCommit batch) {
        return batch.pack().orElseThrow().version().id();
    }

    private static FileVersion version(BatchCommit batch, int file) {
        return batch.files().get(file).version();
    }

    private static FilePath path(String path) {
        return new FilePath(VOLUME, path);
    }

    private List<FileVersion> commit(BatchCommit batch) throws CloudMwException {
        List<FileVersion> committed = new ArrayList<>();
        for (CommitOutcome outcome : catalog.commitAll(batch)) {
            assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
            committed.add(((CommitOutcome.Committed) outcome).version());
        }
        return committed;
    }

    private CommitOutcome commit(BatchCommit pack, BatchFile file) throws CloudMwException {
        return catalog.commitAll(new BatchCommit(pack.pack(), List.of(file))).get(0);
    }

    private static void refusedAs(ErrorCode code, CommitOutcome outcome) {
        assertThat(outcome).isInstanceOf(CommitOutcome.Refused.class);
        assertThat(((CommitOutcome.Refused) outcome).reason().code()).isEqualTo(code);
    }

    private static BatchFile on(BatchFile file, PutCondition condition) {
        return new BatchFile(
                file.version(), file.segment(), Optional.of(condition), file.created(), file.set(), file.owed());
    }

    private static BatchFile with(BatchFile file, Attributes created, Map<String, String> set) {
        return new BatchFile(file.version(), file.segment(), file.condition(), created, set, file.owed());
    }

    /** Returns whether the pack is retired now. */
    private boolean retire(VersionId pack) throws CloudMwException {
        return catalog.retirePack(lease("collection"), pack, 2)
                || catalog.retirePack(lease("collection"), pack, 2 + LATER_MILLIS);
    }

    private List<VersionId> packs() throws CloudMwException {
        return catalog.packs("", 100).items().stream().map(FileVersion::id).toList();
    }

    private VersionState state(VersionId version) throws CloudMwException {
        return catalog.state(version).orElseThrow();
    }

    @Test
    void fileWithoutAConditionIsNotCommittedAfterItsDeadline() throws Exception {
        BatchCommit batch = batch("/a", "/b", "/c");
        FileVersion kept = commit(batch("/c")).get(0);
        AtomicLong now = new AtomicLong(10);
        CommitDeadline deadline = new CommitDeadline(OptionalLong.of(11), now::get);
        BatchFile early = batch.files().get(0);
        BatchFile late = batch.files().get(2);
        BatchFile conditional = on(batch.files().get(1), PutCondition.ABSENT);
        assertThat(catalog.commitAll(new BatchCommit(batch.pack(), List.of(early), deadline)))
                .containsExactly(new CommitOutcome.Committed(early.version()));
        now.set(11);
        List<CommitOutcome> outcomes =
                catalog.commitAll(new BatchCommit(batch.pack(), List.of(early, late, conditional), deadline));
        assertThat(outcomes.get(0)).as("repeated").isEqualTo(new CommitOutcome.Committed(early.version()));
        refusedAs(ErrorCode.DEADLINE_EXCEEDED, outcomes.get(1));
        assertThat(outcomes.get(2)).isEqualTo(new CommitOutcome.Committed(conditional.version()));
        assertThat(catalog.current(path("/c"))).contains(kept);
    }

    @Test
    void packAndItsFilesAreCommittedTogether() throws Exception {
        long before = catalog.changes().position(VOLUME);
        BatchCommit batch = batch("/a", "/d/b", "/d/e/c");
        assertThat(commit(batch)).containsExactly(version(batch, 0), version(batch, 1), version(batch, 2));
        for (BatchFile file : batch.files()) {
            assertThat(catalog.current(file.version().file())).contains(file.version());
            byte[] segment = catalog.segment(file.version().id(), 0).orElseThrow();
            assertThat(ManifestSegment.decode(0, segment))
                    .isEqualTo(file.segment().orElseThrow().segment());
        }
        assertThat(names("/", 10)).as("no path names the pack").containsExactly("a", "d/");
        assertThat(packs()).containsExactly(id(batch));
        assertThat(state(id(batch))).isEqualTo(VersionState.CURRENT);
        assertThat(ManifestSegment.decode(0, catalog.segment(id(batch), 0).orElseThrow())
                        .chunks())
                .containsExactly(chunk(batch));
        assertThat(catalog.live("", 10).items())
                .extracting(FileVersion::id)
                .containsExactlyInAnyOrder(
                        id(batch),
                        version(batch, 0).id(),
                        version(batch, 1).id(),
                        version(batch, 2).id());
        assertThat(catalog.open("", 10).items()).isEmpty();
        assertThat(catalog.changes().after(VOLUME, before, 10).items())
                .extracting(Change::version)
                .containsExactly(
                        Optional.of(version(batch, 0).id()),
                        Optional.of(version(batch, 1).id()),
                        Optional.of(version(batch, 2).id()));
    }

    @Test
    void everyFileNamesTheChunkOfThePack() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(batch);
        ChunkId pack = chunk(batch).id();
        assertThat(catalog.namer(pack)).contains(ChunkReference.ofWriter(id(batch), true));
        for (BatchFile file : batch.files()) {
            assertThat(catalog.namedBy(file.version().id(), List.of(pack))).containsExactly(pack);
        }
        assertThat(catalog.namedElsewhere(id(batch), List.of(pack))).containsExactly(pack);
    }

    @Test
    void faultOfThePackIsAFaultOfEachFileAndListedOnce() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(batch);
        ChunkId slice =
                batch.files().get(1).segment().orElseThrow().chunks().get(0).id();
        catalog.report(List.of(new ReplicaReport(slice, S1, ReplicaState.MISSING)), 2);
        assertThat(catalog.underReplicatedChunks(version(batch, 0).id())).isEqualTo(1);
        assertThat(catalog.underReplicatedChunks(version(batch, 1).id())).isEqualTo(1);
        assertThat(catalog.underReplicatedChunks(id(batch))).isEqualTo(1);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactly(new ReplicaReport(chunk(batch).id(), S1, ReplicaState.MISSING));
    }

    @Test
    void copyThatAPackStillOwesIsRecorded() throws Exception {
        BatchCommit batch = batch("/a");
        Pack pack = batch.pack().orElseThrow();
        ReplicaReport owed = new ReplicaReport(pack.chunk().id(), S2, ReplicaState.OWED);
        Pack owing = new Pack(pack.version(), pack.segment(), List.of(owed));
        commit(new BatchCommit(Optional.of(owing), batch.files()));
        assertThat(catalog.underReplicated(VOLUME, "", 10).items()).containsExactly(owed);
        assertThat(catalog.underReplicatedChunks(version(batch, 0).id())).isEqualTo(1);
    }

    @Test
    void oneBadNameFailsOneFile() throws Exception {
        put("v:/file", 1, Optional.empty());
        BatchCommit batch = batch("/a", "/file/below", "/b", "/d/c", "/d", "/e");
        List<CommitOutcome> outcomes = catalog.commitAll(batch);
        refusedAs(ErrorCode.ALREADY_EXISTS, outcomes.get(1));
        refusedAs(ErrorCode.ALREADY_EXISTS, outcomes.get(4));
        for (int i : new int[] {0, 2, 3, 5}) {
            assertThat(outcomes.get(i)).isEqualTo(new CommitOutcome.Committed(version(batch, i)));
            assertThat(catalog.current(version(batch, i).file())).contains(version(batch, i));
        }
        assertThat(names("/", 10)).containsExactly("a", "b", "d/", "e", "file");
        assertThat(catalog.namedBy(version(batch, 1).id(), List.of(chunk(batch).id())))
                .as("a refused file names nothing")
                .isEmpty();
    }

    @Test
    void refusedFileLeavesNoNewDirectory() throws Exception {
        BatchCommit batch = batch("/new/a", "/b");
        List<CommitOutcome> outcomes = catalog.commitAll(new BatchCommit(
                batch.pack(),
                List.of(
                        on(batch.files().get(0), PutCondition.version(VersionId.random())),
                        batch.files().get(1))));
        refusedAs(ErrorCode.CONFLICT, outcomes.get(0));
        assertThat(names("/", 10)).containsExactly("b");
    }

    @Test
    void conditionOfEachFileIsMetOrTheFileIsRefused() throws Exception {
        FileVersion there = put("v:/there", 1, Optional.empty());
        BatchCommit batch = batch("/new", "/there", "/there2");
        refusedAs(ErrorCode.CONFLICT, commit(batch, on(batch.files().get(1), PutCondition.ABSENT)));
        refusedAs(
                ErrorCode.CONFLICT, commit(batch, on(batch.files().get(1), PutCondition.version(VersionId.random()))));
        refusedAs(ErrorCode.CONFLICT, commit(batch, on(batch.files().get(2), PutCondition.version(there.id()))));
        assertThat(catalog.current(there.file())).contains(there);
        assertThat(commit(batch, on(batch.files().get(0), PutCondition.ABSENT)))
                .isEqualTo(new CommitOutcome.Committed(version(batch, 0)));
        assertThat(commit(batch, on(batch.files().get(1), PutCondition.version(there.id()))))
                .isEqualTo(new CommitOutcome.Committed(version(batch, 1)));
        assertThat(state(there.id())).isEqualTo(VersionState.RETIRED);
        assertThat(retired()).hasSize(1);
    }

    @Test
    void filesWithoutAConditionReplaceAny() throws Exception {
        BatchCommit first = batch("/a", "/b");
        commit(first);
        BatchCommit second = batch("/b", "/c");
        commit(second);
        assertThat(catalog.current(path("/b"))).contains(version(second, 0));
        assertThat(state(version(first, 1).id())).isEqualTo(VersionState.RETIRED);
        assertThat(state(version(first, 0).id())).isEqualTo(VersionState.CURRENT);
    }

    @Test
    void onePathTwiceKeepsTheLast() throws Exception {
        BatchCommit batch = batch("/a", "/a", "/b", "/a");
        commit(batch);
        assertThat(catalog.current(path("/a"))).contains(version(batch, 3));
        assertThat(state(version(batch, 0).id())).isEqualTo(VersionState.RETIRED);
        assertThat(state(version(batch, 1).id())).isEqualTo(VersionState.RETIRED);
        assertThat(catalog.live("", 10).items()).hasSize(3);
    }

    @Test
    void attributesAreGivenToCreatedFilesAndSetOnExistingOnes() throws Exception {
        put("v:/there", 1, Optional.empty());
        catalog.setAttributes(new AttributeChange(path("/there"), Map.of("kept", "1", "mtime", "1"), Set.of()), 1);
        Attributes created = Attributes.of(Map.of("color", "red", "mtime", "0"));
        BatchCommit batch = batch("/there", "/new", "/none");
        commit(new BatchCommit(
                batch.pack(),
                List.of(
                        with(batch.files().get(0), created, Map.of("mtime", "2")),
                        with(batch.files().get(1), created, Map.of("mtime", "2")),
                        with(batch.files().get(2), created, Map.of()))));
        assertThat(attributes("/there")).isEqualTo(Map.of("kept", "1", "mtime", "2"));
        assertThat(attributes("/new")).isEqualTo(Map.of("color", "red", "mtime", "2"));
        assertThat(attributes("/none")).isEqualTo(Map.of("color", "red", "mtime", "0"));
    }

    private Map<String, String> attributes(String path) throws CloudMwException {
        return catalog.file(path(path)).orElseThrow().attributes().values();
    }

    @Test
    void repeatedCommitGivesTheFirstResults() throws Exception {
        BatchCommit batch = batch("/a", "/b", "/c");
        List<FileVersion> first = commit(batch);
        catalog.remove(path("/a"), 5);
        FileVersion other = put("v:/b", 1, Optional.of(version(batch, 1).id()));
        long position = catalog.changes().position(VOLUME);
        List<BatchFile> late =
                batch.files().stream().map(file -> file.committed(9, 4096)).toList();
        assertThat(commit(new BatchCommit(batch.pack(), late))).isEqualTo(first);
        assertThat(catalog.current(path("/a"))).isEmpty();
        assertThat(catalog.current(path("/b"))).contains(other);
        assertThat(catalog.changes().position(VOLUME)).isEqualTo(position);
        assertThat(packs()).containsExactly(id(batch));
    }

    @Test
    void repeatedCommitAddsTheFilesThatWereMissing() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(new BatchCommit(batch.pack(), batch.files().subList(0, 1)));
        commit(batch);
        assertThat(catalog.current(path("/b"))).contains(version(batch, 1));
        assertThat(packs()).hasSize(1);
    }

    @Test
    void filesOfAnAbandonedPackAreRefused() throws Exception {
        BatchCommit batch = batch("/a");
        catalog.touch(id(batch), 1);
        assertThat(catalog.giveUp(id(batch), 2)).isEmpty();
        refused(ErrorCode.CONFLICT, () -> catalog.commitAll(batch));
        refused(ErrorCode.CONFLICT, () -> catalog.addPack(batch.pack().orElseThrow()));
        assertThat(catalog.current(path("/a"))).isEmpty();
        assertThat(packs()).isEmpty();
    }

    @Test
    void fileWhoseUploadWasAbandonedIsRefused() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        catalog.touch(version(batch, 0).id(), 1);
        assertThat(catalog.giveUp(version(batch, 0).id(), 2)).isEmpty();
        List<CommitOutcome> outcomes = catalog.commitAll(batch);
        refusedAs(ErrorCode.CONFLICT, outcomes.get(0));
        assertThat(outcomes.get(1)).isEqualTo(new CommitOutcome.Committed(version(batch, 1)));
    }

    @Test
    void packWasUploadedOrNot() throws Exception {
        BatchCommit batch = batch("/a");
        catalog.touch(id(batch), 1);
        catalog.touch(version(batch, 0).id(), 1);
        commit(batch);
        assertThat(catalog.open("", 10).items()).isEmpty();
        assertThat(catalog.retireAbandoned(lease("collection"), 100, 100)).isZero();
    }

    @Test
    void filesMayHaveChunksOfTheirOwnAndBeEmpty() throws Exception {
        BatchCommit batch = batch("/own");
        FileVersion own = version(batch, 0);
        Chunk slice = batch.files().get(0).segment().orElseThrow().chunks().get(0);
        BatchFile whole = PackSamples.whole(own.file(), slice);
        BatchFile empty = PackSamples.empty(path("/empty"), slice.leafSizeBytes());
        assertThat(commit(new BatchCommit(Optional.empty(), List.of(whole, empty))))
                .containsExactly(whole.version(), empty.version());
        assertThat(catalog.current(path("/empty"))).contains(empty.version());
        assertThat(packs()).isEmpty();
    }

    @Test
    void volumeMustExist() throws Exception {
        BatchCommit batch = batch("/a");
        catalog.deleteVolume(VOLUME, true, 1);
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.commitAll(batch));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> catalog.addPack(batch.pack().orElseThrow()));
    }

    @Test
    void manyFilesOfManyDirectoriesAreCommitted() throws Exception {
        String[] paths = IntStream.range(0, 120)
                .mapToObj(i -> "/d" + i % 7 + "/e" + i % 3 + "/f" + i)
                .toArray(String[]::new);
        BatchCommit batch = batch(paths);
        catalog.snapshots().create(VOLUME, "s", 1);
        assertThat(commit(batch)).hasSize(120);
        assertThat(commit(batch(paths))).as("all replaced").hasSize(120);
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 3; j++) {
                assertThat(names("/d" + i + "/e" + j, 100)).hasSizeBetween(5, 6);
            }
        }
        for (FileVersion first : commit(batch)) {
            assertThat(state(first.id())).as("replaced since the snapshot").isEqualTo(VersionState.RETIRED);
        }
    }

    /** The new directories of one file may take most of a transaction. */
    @Test
    void filesBelowTheMostDirectoriesAreCommitted() throws Exception {
        String below = "/d".repeat(Tree.MAX_DIRECTORIES - 1) + "/f";
        BatchCommit batch = batch("/a" + below, "/a" + below + 2, "/b" + below, "/c/too" + below, "/e");
        List<CommitOutcome> outcomes = catalog.commitAll(batch);
        refusedAs(ErrorCode.INVALID_ARGUMENT, outcomes.get(3));
        for (int i : new int[] {0, 1, 2, 4}) {
            assertThat(outcomes.get(i)).isEqualTo(new CommitOutcome.Committed(version(batch, i)));
        }
        assertThat(names("/", 10)).containsExactly("a/", "b/", "e");
    }

    @Test
    void packsAreListedInPages() throws Exception {
        Set<VersionId> all = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            BatchCommit batch = batch("/" + i);
            commit(batch);
            all.add(id(batch));
        }
        List<VersionId> listed = new ArrayList<>();
        String token = "";
        do {
            var page = catalog.packs(token, 2);
            page.items().forEach(pack -> listed.add(pack.id()));
            token = page.nextToken();
        } while (!token.isEmpty());
        assertThat(listed)
                .containsExactlyElementsOf(all.stream()
                        .sorted(java.util.Comparator.comparing(VersionId::value))
                        .toList());
    }

    @Test
    void packIsRetiredAfterTheLastFileThatNamesIt() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(batch);
        assertThat(retire(id(batch))).isFalse();
        catalog.remove(path("/a"), 2);
        assertThat(retire(id(batch))).as("the other file is there").isFalse();
        put("v:/b", 1, Optional.of(version(batch, 1).id()));
        assertThat(state(id(batch))).isEqualTo(VersionState.CURRENT);
        assertThat(retire(id(batch))).isTrue();
        assertThat(state(id(batch))).isEqualTo(VersionState.RETIRED);
        assertThat(packs()).isEmpty();
        assertThat(catalog.namer(chunk(batch).id()).orElseThrow().current()).isFalse();
        assertThat(retire(id(batch))).as("once").isFalse();
        assertThat(retired()).hasSize(3);
    }

    @Test
    void currentFilesOfAPackAreListedInPages() throws Exception {
        BatchCommit batch = batch("/a", "/b", "/c", "/d", "/e");
        commit(batch);
        commit(batch("/other"));
        catalog.remove(path("/b"), 2);
        rename("v:/c", "v:/moved");
        List<VersionId> listed = new ArrayList<>();
        String token = "";
        do {
            var page = catalog.filesOf(id(batch), token, 2);
            page.items().forEach(file -> listed.add(file.id()));
            token = page.nextToken();
        } while (!token.isEmpty());
        assertThat(listed)
                .containsExactlyElementsOf(IntStream.of(0, 2, 3, 4)
                        .mapToObj(i -> version(batch, i).id())
                        .sorted(java.util.Comparator.comparing(VersionId::value))
                        .toList());
        assertThat(catalog.filesOf(VersionId.random(), "", 2).items()).isEmpty();
    }

    @Test
    void filesOfARetiredPackAreRefused() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(new BatchCommit(batch.pack(), batch.files().subList(0, 1)));
        catalog.remove(path("/a"), 2);
        assertThat(retire(id(batch))).isTrue();
        refused(ErrorCode.CONFLICT, () -> catalog.commitAll(batch));
        assertThat(catalog.current(path("/b"))).isEmpty();
    }

    @Test
    void retirementNeedsTheLeaseAndAPack() throws Exception {
        BatchCommit batch = batch("/a");
        commit(batch);
        catalog.remove(path("/a"), 2);
        var old = lease("collection");
        catalog.leases().release(old);
        refused(ErrorCode.LEASE_LOST, () -> catalog.retirePack(old, id(batch), 3));
        assertThat(retire(VersionId.random())).isFalse();
        FileVersion file = put("v:/f", 1, Optional.empty());
        assertThat(retire(file.id())).as("a file's version").isFalse();
        assertThat(state(file.id())).isEqualTo(VersionState.CURRENT);
    }

    @Test
    void copiesRenamesAndSnapshotsHoldThePack() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(batch);
        catalog.copy(new FileCopy(path("/a"), path("/copy"), false), ChangeRequest.once(2));
        catalog.remove(path("/a"), 2);
        rename("v:/b", "v:/d/moved");
        catalog.remove(path("/copy"), 2);
        assertThat(retire(id(batch))).as("the moved file names it").isFalse();
        catalog.snapshots().create(VOLUME, "s", 3);
        catalog.remove(path("/d/moved"), 3);
        assertThat(retire(id(batch))).as("the snapshot names it").isFalse();
        assertThat(catalog.snapshots().restore("s", path("/d/moved"), 4).id())
                .isEqualTo(version(batch, 1).id());
        assertThat(retire(id(batch))).isFalse();
        catalog.remove(path("/d/moved"), 5);
        catalog.snapshots().remove(VOLUME, "s");
        String token = "";
        do {
            token = catalog.snapshots().prune(lease("collection"), token, 10, 6);
        } while (!token.isEmpty());
        assertThat(state(version(batch, 1).id())).isEqualTo(VersionState.RETIRED);
        assertThat(retire(id(batch))).isTrue();
    }

    @Test
    void packIsForgottenInEitherOrder() throws Exception {
        for (boolean packFirst : new boolean[] {true, false}) {
            BatchCommit batch = batch("/a", "/b");
            commit(batch);
            catalog.remove(path("/a"), 2);
            catalog.remove(path("/b"), 2);
            assertThat(retire(id(batch))).isTrue();
            assertThat(catalog.namedElsewhere(id(batch), List.of(chunk(batch).id())))
                    .as("retired files keep the chunk")
                    .hasSize(1);
            List<VersionId> order = new ArrayList<>(
                    List.of(version(batch, 0).id(), version(batch, 1).id(), id(batch)));
            if (packFirst) {
                Collections.reverse(order);
            }
            for (VersionId version : order) {
                catalog.forget(lease("collection"), version);
            }
            for (VersionId version : order) {
                assertThat(catalog.state(version))
                        .as("pack first: " + packFirst)
                        .isEmpty();
            }
        }
        assertThat(retired()).isEmpty();
    }

    @Test
    void packsOfARemovedVolumeAreRetired() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        commit(batch);
        catalog.deleteVolume(VOLUME, true, 2);
        assertThat(state(version(batch, 0).id())).isEqualTo(VersionState.RETIRED);
        if (packs().contains(id(batch))) {
            assertThat(retire(id(batch))).isTrue();
        }
        assertThat(state(id(batch))).isEqualTo(VersionState.RETIRED);
        assertThat(packs()).isEmpty();
    }

    /** A copy's chunk is that of the pack, whichever file names it. */
    @Test
    void namerOfAPackWithOneFileLeftIsFound() throws Exception {
        BatchCommit batch = batch("/a", "/b", "/c");
        commit(batch);
        catalog.remove(path("/a"), 2);
        catalog.remove(path("/c"), 2);
        assertThat(catalog.namer(chunk(batch).id())).contains(ChunkReference.ofWriter(id(batch), true));
        assertThat(catalog.namedElsewhere(id(batch), List.of(chunk(batch).id())))
                .hasSize(1);
    }

    /** A late file of a pack is committed, and the pack stays, or it is refused and the pack is retired. */
    @Test
    void lateFileIsCommittedOrItsPackIsRetired() throws Exception {
        for (int round = 0; round < 10; round++) {
            BatchCommit batch = batch("/early" + round, "/late" + round);
            commit(new BatchCommit(batch.pack(), batch.files().subList(0, 1)));
            catalog.remove(path("/early" + round), 2);
            BatchFile late = batch.files().get(1);
            atOnce(List.of(() -> succeeds(() -> commit(batch, late), ErrorCode.CONFLICT), () -> retire(id(batch))));
            boolean committed = catalog.current(late.version().file()).isPresent();
            assertThat(state(id(batch))).isEqualTo(committed ? VersionState.CURRENT : VersionState.RETIRED);
            assertThat(retire(id(batch))).isFalse();
        }
    }

    /** Small files are put, replaced, moved, copied, removed and collected in random order. */
    @Test
    void answersMatchACatalogInMemoryUnderRandomOperations() throws Exception {
        try (Catalog model = new InMemoryCatalog()) {
            model.putStore(bucket("s1"));
            model.putStore(bucket("s2"));
            model.createVolume(volume("v", S1, S2));
            new PacksSimulation(VOLUME, List.of(model, catalog), new SplittableRandom(7)).run(60);
        }
    }

    /** Batches that name some of the same paths leave one version at each, whose pack stays. */
    @Test
    void batchesAtOnceLeaveOneVersionAtEachPath() throws Exception {
        List<BatchCommit> batches = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            batches.add(batch("/x/a", "/x/b", "/y" + i + "/c", "/d"));
        }
        atOnce(batches.stream()
                .map(batch -> (java.util.concurrent.Callable<Boolean>) () -> {
                    commit(batch);
                    return true;
                })
                .toList());
        List<VersionId> live =
                catalog.live("", 100).items().stream().map(FileVersion::id).toList();
        assertThat(live).as("4 packs, 3 shared paths, 4 others").hasSize(11);
        for (BatchCommit batch : batches) {
            boolean named = batch.files().stream()
                    .anyMatch(file -> live.contains(file.version().id()));
            assertThat(named).isTrue();
            assertThat(retire(id(batch))).isFalse();
        }
        assertThat(names("/x", 10)).containsExactly("a", "b");
    }
}
