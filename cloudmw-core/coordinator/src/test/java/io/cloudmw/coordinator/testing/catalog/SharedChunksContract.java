package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.version.ChunkReference;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.testing.Versions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of chunks that versions share. */
public abstract class SharedChunksContract extends CatalogFixture {
    private FileVersion base;
    private ChunkId chunk0;
    private ChunkId chunk1;

    @BeforeEach
    void aFileOfTwoChunks() throws Exception {
        base = put("v:/f", 1, Optional.empty());
        chunk0 = new ChunkId(base.id(), 0);
        chunk1 = new ChunkId(base.id(), 1);
    }

    /** Opens a version of the file whose only segment shares these runs. */
    private FileVersion open(SharedRun... runs) throws CloudMwException {
        FileVersion version = Versions.of("v:/f", 1);
        catalog.putSegment(version.id(), 0, Versions.segment(version.id(), 0), List.of(runs), 1);
        return version;
    }

    private FileVersion commit(FileVersion before, SharedRun... runs) throws CloudMwException {
        return commit(open(runs), Optional.of(before.id()));
    }

    private void forget(VersionId version) throws CloudMwException {
        catalog.forget(lease("collection"), version);
    }

    private SharedRun run(long first, long end) {
        return new SharedRun(base.id(), first, end);
    }

    @Test
    void chunkIsReferencedByItsWriterAndByThoseThatShareIt() throws Exception {
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        assertThat(catalog.namer(chunk1)).contains(ChunkReference.ofWriter(base.id(), true));
        FileVersion second = commit(base, run(1, 2));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk1));
        assertThat(catalog.namedElsewhere(second.id(), List.of(chunk0, chunk1)))
                .as("by who wrote them, retired as it is")
                .isEqualTo(Set.of(chunk0, chunk1));
        assertThat(catalog.namer(chunk1)).as("a current one").contains(in(second, 0));
        assertThat(catalog.namer(chunk0)).contains(ChunkReference.ofWriter(base.id(), false));
        assertThat(catalog.namedBy(second.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk1));
        assertThat(catalog.namedBy(base.id(), List.of(chunk0, chunk1)))
                .as("chunks of others")
                .isEmpty();
    }

    @Test
    void uncommittedVersionReferencesNothing() throws Exception {
        FileVersion upload = open(run(0, 2));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        catalog.remove(base.file(), 2);
        catalog.retireAbandoned(lease("collection"), 10, 11);
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEmpty();
        assertThat(catalog.namedElsewhere(upload.id(), List.of(chunk0))).isEqualTo(Set.of(chunk0));
        assertThat(catalog.namedBy(upload.id(), List.of(chunk0))).isEmpty();
    }

    @Test
    void replacedSegmentReferencesItsNewChunks() throws Exception {
        FileVersion second = Versions.of("v:/f", 1);
        catalog.putSegment(second.id(), 0, new byte[] {1}, List.of(run(0, 2)), 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(run(0, 1)), 1);
        commit(second, Optional.of(base.id()));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk0));
        report(base.id(), 1, S1, ReplicaState.MISSING);
        assertThat(catalog.underReplicatedChunks(second.id())).isZero();
    }

    /** An earlier build did not record them when it recovered a volume; the recovery continues with this one. */
    @Test
    void referencesOfAnEqualSegmentAreRecordedUntilItsVersionIsCommitted() throws Exception {
        FileVersion second = Versions.of("v:/f", 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(run(0, 1)), 1);
        commit(second, base);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(run(1, 2)), 1);
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk0));
        assertThat(catalog.namer(chunk0)).contains(in(second, 0));
    }

    @Test
    void chunkOfTwoSegmentsIsReferencedUntilNeitherHasIt() throws Exception {
        FileVersion second = Versions.of("v:/f", 2);
        catalog.putSegment(second.id(), 1, Versions.segment(second.id(), 1), List.of(run(1, 2)), 1);
        catalog.putSegment(second.id(), 0, new byte[] {1}, List.of(run(1, 2)), 1);
        catalog.putSegment(second.id(), 0, Versions.segment(second.id(), 0), List.of(), 1);
        commit(second, Optional.of(base.id()));
        assertThat(catalog.namedElsewhere(base.id(), List.of(chunk0, chunk1))).isEqualTo(Set.of(chunk1));
        assertThat(catalog.namer(chunk1)).contains(in(second, 1));
    }

    /** Two parts of a file may have chunks of one version with indexes far apart, in one segment. */
    @Test
    void chunksOfOneVersionThatAreFarApartAreFoundInOneSegment() throws Exception {
        long[] indexes = {7, 8, 7 + SharedRun.MAX_SPAN - 1, 7 + SharedRun.MAX_SPAN, 5_000_000, ChunkId.MAX_INDEX};
        List<ChunkId> chunks = Arrays.stream(indexes)
                .mapToObj(index -> new ChunkId(base.id(), index))
                .toList();
        FileVersion second = commit(base, SharedRun.of(chunks).toArray(SharedRun[]::new));
        catalog.report(
                chunks.stream()
                        .map(chunk -> new ReplicaReport(chunk, S1, ReplicaState.MISSING))
                        .toList(),
                1);
        for (ChunkId chunk : chunks) {
            assertThat(catalog.namer(chunk)).as(chunk.toString()).contains(in(second, 0));
            assertThat(catalog.namedElsewhere(base.id(), List.of(chunk))).containsExactly(chunk);
            assertThat(catalog.namedBy(second.id(), List.of(chunk))).containsExactly(chunk);
        }
        assertThat(catalog.namedElsewhere(base.id(), chunks)).isEqualTo(Set.copyOf(chunks));
        assertThat(catalog.namedBy(second.id(), chunks)).isEqualTo(Set.copyOf(chunks));
        assertThat(catalog.namer(new ChunkId(base.id(), 9))).contains(ChunkReference.ofWriter(base.id(), false));
        assertThat(catalog.underReplicatedChunks(second.id())).isEqualTo(chunks.size());
        assertThat(catalog.underReplicated(VOLUME, "", 100).items()).hasSize(chunks.size());
        forget(base.id());
        catalog.remove(second.file(), 2);
        forget(second.id());
        assertThat(catalog.state(base.id())).isEmpty();
        assertThat(catalog.namer(chunks.get(4))).isEmpty();
    }

    private static ChunkReference in(FileVersion version, int segment) {
        return new ChunkReference(version.id(), OptionalInt.of(segment), true);
    }

    private static VersionPart part(FileVersion version) {
        return new VersionPart(version.file(), version.id(), 0);
    }

    private FileVersion commit(FileVersion version, FileVersion before, VersionPart... parts) throws CloudMwException {
        return catalog.commit(new CommitRequest(version, Optional.of(before.id()), List.of()).with(List.of(parts)));
    }

    /** The parts are current at the commit, so that their chunks are referenced without a gap. */
    @Test
    void partIsSharedWhileItsPathNamesIt() throws Exception {
        FileVersion part = put("v:/d/part", 1, Optional.empty());
        ChunkId chunk = new ChunkId(part.id(), 0);
        FileVersion whole = commit(open(new SharedRun(part.id(), 0, 1)), base, part(part));
        catalog.remove(part.file(), 2);
        assertThat(catalog.namedElsewhere(part.id(), List.of(chunk))).containsExactly(chunk);
        forget(part.id());
        assertThat(catalog.state(part.id())).as("lent").isPresent();
        assertThat(catalog.namer(chunk)).contains(in(whole, 0));
        catalog.remove(whole.file(), 3);
        assertThat(catalog.namer(chunk)).contains(new ChunkReference(whole.id(), OptionalInt.of(0), false));
        assertThat(catalog.namedElsewhere(whole.id(), List.of(chunk))).isEmpty();
        forget(whole.id());
        assertThat(catalog.state(part.id())).isEmpty();
    }

    @Test
    void partWhosePathNamesNoVersionOrAnotherIsAConflictThatChangesNothing() throws Exception {
        FileVersion kept = put("v:/kept", 1, Optional.empty());
        FileVersion replaced = put("v:/replaced", 1, Optional.empty());
        put("v:/replaced", 1, Optional.of(replaced.id()));
        FileVersion removed = put("v:/removed", 1, Optional.empty());
        catalog.remove(removed.file(), 2);
        FileVersion moved = put("v:/moved", 1, Optional.empty());
        rename("v:/moved", "v:/elsewhere");
        FileVersion upload = open(new SharedRun(kept.id(), 0, 1));
        for (FileVersion wrong : List.of(replaced, removed, moved)) {
            refused(ErrorCode.CONFLICT, () -> commit(upload, base, part(kept), part(wrong)));
        }
        assertThat(catalog.current(base.file())).contains(base);
        assertThat(catalog.state(upload.id())).contains(VersionState.OPEN);
        FileVersion whole = commit(upload, base, part(kept), part(moved.at(FilePath.parse("v:/elsewhere"))));
        catalog.remove(kept.file(), 3);
        assertThat(commit(upload, base, part(kept)))
                .as("repeated, after the part was removed")
                .isEqualTo(whole);
    }

    @Test
    void versionMayHaveTheMostParts() throws Exception {
        List<VersionPart> parts = new ArrayList<>();
        List<SharedRun> runs = new ArrayList<>();
        List<ReplicaReport> owed = new ArrayList<>();
        FileVersion whole = Versions.of("v:/f", 1);
        for (int i = 0; i < VersionPart.MAX_PARTS; i++) {
            FileVersion part = put("v:/" + i + "/part", 1, Optional.empty());
            parts.add(part(part));
            runs.add(new SharedRun(part.id(), 0, 1));
            owed.add(fault(whole.id(), i, S1, ReplicaState.OWED));
        }
        catalog.putSegment(whole.id(), 0, Versions.segment(whole.id(), 0), runs, 1);
        catalog.commit(new CommitRequest(whole, Optional.of(base.id()), owed.subList(0, 24)).with(parts));
        assertThat(catalog.current(base.file())).contains(whole);
        assertThat(catalog.underReplicatedChunks(whole.id())).isEqualTo(24);
    }

    /** The commit shares the part if it comes before the removal, and is refused otherwise. */
    @Test
    void partThatIsRemovedDuringTheCommitIsSharedOrRefused() throws Exception {
        for (int round = 0; round < 10; round++) {
            FileVersion part = put("v:/part", 1, Optional.empty());
            FileVersion before = catalog.current(base.file()).orElseThrow();
            ChunkId chunk = new ChunkId(part.id(), 0);
            FileVersion upload = open(new SharedRun(part.id(), 0, 1));
            long position = catalog.changes().position(VOLUME);
            int committed = atOnce(List.of(
                    () -> succeeds(() -> commit(upload, before, part(part)), ErrorCode.CONFLICT),
                    () -> catalog.remove(part.file(), 2) == null));
            assertThat(catalog.namedElsewhere(part.id(), List.of(chunk)).size())
                    .as("shared with the version that was committed")
                    .isEqualTo(committed);
            assertThat(catalog.changes().after(VOLUME, position, 10).items())
                    .as("a commit after the removal would share a chunk that may have been deleted")
                    .extracting(Change::kind)
                    .isEqualTo(
                            committed == 1
                                    ? List.of(Change.Kind.PUT, Change.Kind.REMOVED)
                                    : List.of(Change.Kind.REMOVED));
        }
    }

    /** A segment has the most chunks, each from another version; its references are kept and dropped like fewer. */
    @Test
    void segmentMayReferenceChunksOfManyVersions() throws Exception {
        SharedRun[] runs = new SharedRun[ManifestSegment.MAX_CHUNKS];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new SharedRun(VersionId.random(), i, i + 1);
        }
        FileVersion second = commit(base, runs);
        for (int i : new int[] {0, 500, runs.length - 1}) {
            ChunkId chunk = new ChunkId(runs[i].owner(), i);
            assertThat(catalog.namer(chunk)).contains(in(second, 0));
            assertThat(catalog.namedBy(second.id(), List.of(chunk))).containsExactly(chunk);
            assertThat(catalog.namedElsewhere(base.id(), List.of(chunk))).containsExactly(chunk);
        }
        catalog.remove(second.file(), 2);
        forget(second.id());
        assertThat(catalog.namer(new ChunkId(runs[500].owner(), 500))).isEmpty();
    }

    /** Files are changed, abandoned, removed and collected in random order; a catalog in memory runs the same calls. */
    @Test
    void answersMatchACatalogInMemoryUnderRandomOperations() throws Exception {
        try (Catalog model = new InMemoryCatalog()) {
            model.putStore(bucket("s1"));
            model.putStore(bucket("s2"));
            model.createVolume(volume("v", S1, S2));
            new SharedChunksSimulation(List.of(model, catalog), new SplittableRandom(11)).run(60);
        }
    }

    @Test
    void forgottenVersionStaysKnownWhileOthersReferenceItsChunks() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        FileVersion third = commit(second, run(1, 2));
        report(base.id(), 1, S1, ReplicaState.MISSING);
        forget(base.id());
        assertThat(catalog.state(base.id())).isPresent();
        assertThat(catalog.version(base.id())).isEmpty();
        assertThat(catalog.segment(base.id(), 0)).isEmpty();
        assertThat(retired()).extracting(RetiredVersion::id).containsExactly(second.id());
        assertThat(catalog.faults(base.id(), 0, 2)).hasSize(1);
        forget(base.id());
        forget(second.id());
        assertThat(catalog.state(base.id())).isPresent();
        assertThat(catalog.state(second.id())).isEmpty();
        assertThat(catalog.namer(chunk1)).contains(in(third, 0));
        assertThat(catalog.namer(chunk0)).isEmpty();
        catalog.remove(base.file(), 2);
        assertThat(catalog.namedElsewhere(third.id(), List.of(chunk1))).isEmpty();
        forget(third.id());
        assertThat(catalog.state(base.id())).isEmpty();
        assertThat(catalog.faults(base.id(), 0, 2)).isEmpty();
    }

    /** Reports about copies of a lent chunk are recorded as for a chunk of a committed version. */
    @Test
    void reportsAboutLentChunksAreRecorded() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        forget(base.id());
        report(base.id(), 1, S1, ReplicaState.MISSING);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactly(fault(base.id(), 1, S1, ReplicaState.MISSING));
        assertThat(catalog.underReplicatedChunks(second.id())).isEqualTo(1);
        report(base.id(), 1, S1, ReplicaState.GOOD);
        assertThat(catalog.underReplicatedChunks(second.id())).isZero();
        assertThat(catalog.retireAbandoned(lease("collection"), 100, 100)).isZero();
    }

    @Test
    void copiesAreMissingOfChunksThatCurrentVersionsReference() throws Exception {
        report(base.id(), 0, S1, ReplicaState.MISSING);
        report(base.id(), 1, S1, ReplicaState.MISSING);
        report(base.id(), 1, S2, ReplicaState.CORRUPT);
        FileVersion second = commit(base, run(1, 2));
        report(second.id(), 0, S2, ReplicaState.MISSING);
        assertThat(catalog.underReplicated(VOLUME, "", 10).items())
                .containsExactlyInAnyOrder(
                        fault(base.id(), 1, S1, ReplicaState.MISSING),
                        fault(base.id(), 1, S2, ReplicaState.CORRUPT),
                        fault(second.id(), 0, S2, ReplicaState.MISSING));
        assertThat(catalog.underReplicatedChunks(second.id())).isEqualTo(2);
    }

    @Test
    void removedVolumeLendsNothing() throws Exception {
        FileVersion second = commit(base, run(1, 2));
        catalog.deleteVolume(VOLUME, true, 2);
        for (VersionId version : List.of(second.id(), base.id())) {
            forget(version);
        }
        assertThat(catalog.state(base.id())).isEmpty();
        assertThat(catalog.state(second.id())).isEmpty();
        assertThat(catalog.file(FilePath.parse("v:/f"))).isEmpty();
    }
}
