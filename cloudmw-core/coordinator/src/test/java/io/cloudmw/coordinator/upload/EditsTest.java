package io.cloudmw.coordinator.upload;

import static io.cloudmw.coordinator.AdministrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.security.TransferRight;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class EditsTest {
    private static final FilePath FILE = FilePath.parse("v:/a/b");
    private static final long MIB = 1 << 20;

    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster().withVolume(2);
    }

    @Test
    void appendWritesTheLastPartialChunkAndThoseAfterIt() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB + 5);
        FileVersion appended = cluster.edit(FILE, Edit.append(MIB));
        assertThat(appended.sizeBytes()).isEqualTo(3 * MIB + 5);
        assertThat(owners(appended)).containsExactly(base.id(), base.id(), appended.id(), appended.id());
        FileVersion again = cluster.edit(FILE, Edit.append(1));
        assertThat(owners(again)).containsExactly(base.id(), base.id(), appended.id(), again.id());
    }

    @Test
    void unchangedChunksAreShared() throws Exception {
        FileVersion base = cluster.put(FILE, 4 * MIB);
        FileVersion written = cluster.edit(FILE, Edit.write(MIB + 1, MIB));
        assertThat(owners(written)).containsExactly(base.id(), written.id(), written.id(), base.id());
        FileVersion shorter = cluster.edit(FILE, Edit.truncate(MIB + 7));
        assertThat(owners(shorter)).containsExactly(base.id(), shorter.id());
        FileVersion aligned = cluster.edit(FILE, Edit.truncate(MIB));
        assertThat(owners(aligned)).containsExactly(base.id());
        assertThat(owners(cluster.edit(FILE, Edit.truncate(0)))).isEmpty();
    }

    @Test
    void appendToAMissingFileStartsWithAnEmptyOne() throws Exception {
        FileVersion first = cluster.edit(FILE, Edit.append(10));
        assertThat(owners(first)).containsExactly(first.id());
        refused(ErrorCode.NOT_FOUND, () -> cluster.edit(FilePath.parse("v:/none"), Edit.truncate(0)));
    }

    @Test
    void editThatLeavesAGapOrNeverEndsIsRefused() throws Exception {
        cluster.put(FILE, 10);
        refused(ErrorCode.INVALID_ARGUMENT, () -> cluster.edit(FILE, Edit.write(11, 1)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> cluster.edit(FILE, Edit.truncate(11)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> cluster.edit(FILE, Edit.append(Long.MAX_VALUE)));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> cluster.edit(FilePath.parse("w:/a"), Edit.append(1)));
    }

    /** In a volume of n chunks a growing file keeps its chunk size up to 2n chunks, and is cut again beyond. */
    @Test
    void fileThatOutgrowsItsChunksIsCutAgain() throws Exception {
        cluster.coordinator
                .administration()
                .createVolume(
                        new Volume(
                                new VolumeName("n"),
                                new Chunking.ByCount(3),
                                1,
                                List.of(new StoreId("d1")),
                                1,
                                Mode.ROUNDS,
                                false,
                                0),
                        Optional.empty());
        FilePath file = FilePath.parse("n:/f");
        FileVersion base = cluster.put(file, 3 * MIB);
        FileVersion twice = cluster.edit(file, Edit.append(3 * MIB));
        assertThat(twice.chunkSizeBytes()).isEqualTo(MIB);
        assertThat(owners(twice)).hasSize(6).startsWith(base.id(), base.id(), base.id());
        FileVersion outgrown = cluster.edit(file, Edit.append(6));
        assertThat(outgrown.chunkSizeBytes()).isEqualTo(2 * MIB + 2);
        assertThat(owners(outgrown)).containsExactly(outgrown.id(), outgrown.id(), outgrown.id());
        FileVersion shrunk = cluster.edit(file, Edit.truncate(1));
        assertThat(shrunk.chunkSizeBytes()).isEqualTo(2 * MIB + 2);
    }

    @Test
    void onlyChunksOfTheExpectedVersionMayBeShared() throws Exception {
        cluster.put(FILE, 2 * MIB);
        EditPlan plan = cluster.coordinator.edits().begin(FILE, Edit.append(MIB));
        FileVersion edited = cluster.edited(FILE, plan, VersionId.random());
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(edited, Optional.empty()));
        FileVersion other = cluster.put(FilePath.parse("v:/other"), 2 * MIB);
        Chunk foreign = cluster.segment(other.id(), 0).get(0);
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("w", 3, 2, "d1", "d2", "d3"), Optional.empty());
        FileVersion elsewhere = cluster.put(FilePath.parse("w:/b"), 2 * MIB);
        Chunk ofAnotherVolume = cluster.segment(elsewhere.id(), 0).get(0);
        Chunk moved = new Chunk(
                0,
                cluster.segment(edited.id(), 0).get(0).id(),
                foreign.range(),
                foreign.leafSizeBytes(),
                foreign.leaves(),
                List.of(new StoreId("d2"), new StoreId("d1"), new StoreId("d3")));
        for (Chunk wrong : List.of(foreign, ofAnotherVolume, moved)) {
            FileVersion forged = cluster.written(FILE, 3 * MIB, chunk -> chunk.index() == 0 ? wrong : chunk);
            refused(ErrorCode.INVALID_ARGUMENT, () -> commit(forged, plan.base().map(FileVersion::id)));
        }
        commit(edited, plan.base().map(FileVersion::id));
    }

    /** Another segment replaces a checked one and is committed. */
    @Test
    void checkedManifestIsTheCommittedOne() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion honest = cluster.edited(FILE, Edit.append(MIB));
        Volume volume = cluster.catalog.volume(TestCluster.VOLUME).orElseThrow();
        FileVersion other = new FileVersion(
                FILE,
                honest.id(),
                honest.sizeBytes(),
                honest.chunkCount(),
                honest.segmentCount(),
                honest.leafSizeBytes(),
                0,
                "0".repeat(64));
        check(volume, honest, base).run();
        refused(ErrorCode.INVALID_ARGUMENT, check(volume, other, base)::run);
    }

    private ManifestCheck check(Volume volume, FileVersion version, FileVersion base) throws CloudMwException {
        Optional<FileVersion> before = Optional.of(base);
        ManifestPlan plan = FileLayout.of(volume, before, version);
        SharedEntries others = SharedEntries.of(cluster.catalog, volume, before, plan, List.of());
        return new ManifestCheck(cluster.catalog, volume, version, others, plan, List.of(), 1);
    }

    @Test
    void editOfAReplacedVersionIsAConflict() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion edited = cluster.edited(FILE, Edit.append(1));
        cluster.put(FILE, 1);
        refused(ErrorCode.CONFLICT, () -> commit(edited, Optional.of(base.id())));
    }

    /** An edit elsewhere in the file does not depend on these copies. */
    @Test
    void chunkThatLostCopiesIsSharedAllTheSame() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        report(base, new ChunkId(base.id(), 0), "d1");
        report(base, new ChunkId(base.id(), 0), "d2");
        FileVersion edited = cluster.edit(FILE, Edit.append(1));
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isEqualTo(1);
        assertThat(cluster.coordinator
                        .replicas()
                        .underReplicated(TestCluster.VOLUME, "", 0)
                        .items())
                .hasSize(2);
        List<PlannedChunk> plan = cluster.coordinator
                .reads()
                .segment(FILE, edited.id(), 0, List.of(), false)
                .chunks();
        assertThat(plan.get(0).bad()).isEqualTo(Set.of(new StoreId("d1"), new StoreId("d2")));
        assertThat(plan.get(1).bad()).isEmpty();
    }

    @Test
    void faultOfASharedChunkIsHiddenFromAllItsReaders() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion edited = cluster.edit(FILE, Edit.append(1));
        report(edited, new ChunkId(base.id(), 1), "d3");
        assertThat(cluster.catalog.underReplicatedChunks(edited.id())).isEqualTo(1);
        VersionId other = cluster.put(FilePath.parse("v:/other"), 1).id();
        refused(ErrorCode.INVALID_ARGUMENT, () -> report(edited, new ChunkId(other, 0), "d3"));
    }

    @Test
    void planHasATokenForEachWriterOfAChunkAndForNoOther() throws Exception {
        FileVersion base = cluster.put(FILE, 2 * MIB);
        FileVersion edited = cluster.edit(FILE, Edit.append(1));
        List<PlannedChunk> plan = cluster.coordinator
                .reads()
                .segment(FILE, edited.id(), 0, List.of(), false)
                .chunks();
        assertThat(plan.get(2).token()).as("its own: the plan's token will do").isEmpty();
        for (PlannedChunk shared : plan.subList(0, 2)) {
            var claims = cluster.tokens.verify(shared.token().orElseThrow().bytes());
            claims.require(TransferRight.READ, shared.chunk().id());
            assertThat(claims.version()).isEqualTo(base.id());
            assertThat(claims.rights()).containsExactly(TransferRight.READ);
        }
    }

    private List<VersionId> owners(FileVersion version) throws CloudMwException {
        return cluster.segment(version.id(), 0).stream()
                .map(chunk -> chunk.id().version())
                .toList();
    }

    private void report(FileVersion version, ChunkId chunk, String store) throws CloudMwException {
        ReplicaReport missing = new ReplicaReport(chunk, new StoreId(store), ReplicaState.MISSING);
        cluster.coordinator.replicas().report(FILE, version.id(), List.of(missing));
    }

    private void commit(FileVersion version, Optional<VersionId> expected) throws CloudMwException {
        cluster.coordinator.uploads().commit(version, expected, List.of());
    }
}
