package io.cloudmw.coordinator.upload;

import static io.cloudmw.coordinator.AdministrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.names.SmallFile;
import io.cloudmw.coordinator.testing.PackSamples;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.coordinator.upload.SmallFileCommits.WrittenPack;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.PutCondition;
import io.cloudmw.core.model.volume.Chunking;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SmallFileCommitsTest {
    private static final List<StoreId> STORES = List.of(new StoreId("d1"), new StoreId("d2"), new StoreId("d3"));

    private TestCluster cluster;

    @BeforeEach
    void start() throws CloudMwException {
        cluster = new TestCluster().withVolume(2);
    }

    private BatchCommit batch(String... paths) throws CloudMwException {
        return PackSamples.batch(cluster.catalog.volume(TestCluster.VOLUME).orElseThrow(), STORES, paths);
    }

    private static Chunk chunk(BatchCommit batch) {
        return batch.pack().orElseThrow().chunk();
    }

    private List<CommitOutcome> commit(Chunk pack, List<ReplicaReport> owed, BatchFile... files)
            throws CloudMwException {
        return cluster.coordinator
                .smallFiles()
                .commit(TestCluster.VOLUME, Optional.of(new WrittenPack(pack, owed)), List.of(files));
    }

    private static ErrorCode code(CommitOutcome outcome) {
        return ((CommitOutcome.Refused) outcome).reason().code();
    }

    private static ReplicaReport owed(Chunk pack, String store) {
        return new ReplicaReport(pack.id(), new StoreId(store), ReplicaState.OWED);
    }

    @Test
    void filesGetTheTimeOfTheCommitAndTheChunkSizeOfTheVolume() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        List<CommitOutcome> outcomes = commit(
                chunk(batch), List.of(), batch.files().get(0), batch.files().get(1));
        FileVersion first = batch.files().get(0).version();
        assertThat(outcomes.get(0)).isEqualTo(new CommitOutcome.Committed(first.committed(cluster.now(), 1 << 20)));
        assertThat(cluster.catalog.current(first.file()).orElseThrow().committedAtMillis())
                .isEqualTo(cluster.now());
    }

    @Test
    void packMustBeAWholeChunkWithEnoughDurableCopies() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        Chunk pack = chunk(batch);
        BatchFile file = batch.files().get(0);
        Chunk slice = file.segment().orElseThrow().chunks().get(0);
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(slice, List.of(), file));
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(pack.at(STORES.subList(0, 2)), List.of(), file));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> commit(pack.at(List.of(STORES.get(0), STORES.get(1), new StoreId("d9"))), List.of(), file));
        refused(ErrorCode.INVALID_ARGUMENT, () -> commit(pack, List.of(owed(pack, "d9")), file));
        refused(ErrorCode.QUORUM_NOT_MET, () -> commit(pack, List.of(owed(pack, "d1"), owed(pack, "d2")), file));
        assertThat(cluster.catalog.packs("", 10).items()).isEmpty();
        assertThat(commit(pack, List.of(owed(pack, "d1")), file).get(0)).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(cluster.catalog.underReplicatedChunks(file.version().id())).isEqualTo(1);
    }

    @Test
    void fileMayNameSlicesOfItsPackOnly() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        Chunk pack = chunk(batch);
        BatchFile of = batch("/other").files().get(0);
        BatchFile elsewhere = PackSamples.file(path("/e"), pack.at(STORES.subList(1, 3)), 0, Optional.empty());
        BatchFile beyond = PackSamples.file(path("/f"), pack, 2, Optional.empty());
        Chunk slice = batch.files().get(0).segment().orElseThrow().chunks().get(0);
        VersionId own = VersionId.random();
        Chunk ofOwn = new Chunk(
                0,
                new ChunkId(own, 0).slice(new ByteRange(0, 10)),
                slice.range(),
                slice.leafSizeBytes(),
                slice.leaves(),
                slice.replicas());
        BatchFile sliceOfOwn = PackSamples.file(path("/g"), own, ofOwn);
        List<CommitOutcome> outcomes = commit(
                pack,
                List.of(),
                of,
                elsewhere,
                beyond,
                sliceOfOwn,
                batch.files().get(1));
        for (int i = 0; i < 4; i++) {
            assertThat(code(outcomes.get(i))).as("file " + i).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(outcomes.get(4)).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(code(cluster.coordinator
                        .smallFiles()
                        .commit(
                                TestCluster.VOLUME,
                                Optional.empty(),
                                batch.files().subList(0, 1))
                        .get(0)))
                .as("without its pack")
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void slicesOfPacksAreGivenAndNoOtherChunks() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        BatchFile whole = PackSamples.whole(path("/whole"), chunk(batch));
        commit(chunk(batch), List.of(), batch.files().get(0));
        cluster.coordinator.smallFiles().commit(TestCluster.VOLUME, Optional.empty(), List.of(whole));

        List<Optional<SmallFile>> found = cluster.coordinator
                .names()
                .stat(TestCluster.VOLUME, List.of(path("/a"), path("/whole"), path("/none")), true);

        Chunk slice = batch.files().get(0).segment().orElseThrow().chunks().get(0);
        assertThat(found.get(0).orElseThrow().packed()).contains(new SmallFile.Packed(slice, slice));
        assertThat(found.get(1).orElseThrow().packed()).isEmpty();
        assertThat(found.get(2)).isEmpty();
    }

    @Test
    void theSlicesOfOneAnswerFitOneMessage() throws Exception {
        int leaf = cluster.catalog
                .volume(TestCluster.VOLUME)
                .orElseThrow()
                .chunking()
                .leafSizeBytes();
        int leaves = Chunking.MAX_CHUNK_LEAVES;
        ByteRange bytes = new ByteRange(0, (long) leaf * leaves);
        LeafDigests digests = new LeafDigests(new int[leaves], new byte[leaves * LeafDigests.SHA256_BYTES]);
        Chunk pack = new Chunk(0, new ChunkId(VersionId.random(), 0), bytes, leaf, digests, STORES);
        Chunk slice = pack.storedAs(pack.id().slice(bytes), pack.replicas());
        List<FilePath> paths = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            paths.add(path("/" + i));
        }
        List<BatchFile> files = paths.stream()
                .map(path -> PackSamples.file(path, VersionId.random(), slice))
                .toList();
        List<CommitOutcome> outcomes = cluster.catalog.commitAll(
                new BatchCommit(Optional.of(Pack.of(TestCluster.VOLUME, pack, List.of(), 1)), files));
        assertThat(outcomes).hasOnlyElementsOfType(CommitOutcome.Committed.class);

        long given = cluster.coordinator.names().stat(TestCluster.VOLUME, paths, true).stream()
                .filter(file -> file.orElseThrow().packed().isPresent())
                .count();

        assertThat(given).isEqualTo((4 << 20) / 36 / leaves);
    }

    private static FilePath path(String path) {
        return new FilePath(TestCluster.VOLUME, path);
    }

    @Test
    void fileOfAnotherVolumeIsRefusedAlone() throws Exception {
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("w", 3, 2, "d1", "d2", "d3"), Optional.empty());
        BatchCommit batch = batch("/a", "/b");
        BatchFile other = PackSamples.file(new FilePath(new VolumeName("w"), "/a"), chunk(batch), 0, Optional.empty());
        List<CommitOutcome> outcomes =
                commit(chunk(batch), List.of(), other, batch.files().get(1));
        assertThat(code(outcomes.get(0))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(outcomes.get(1)).isInstanceOf(CommitOutcome.Committed.class);
    }

    @Test
    void moreFilesThanTheMostAreRefused() throws Exception {
        BatchCommit batch = batch("/a");
        List<BatchFile> many = new ArrayList<>(
                Collections.nCopies(BatchCommit.MAX_FILES + 1, batch.files().get(0)));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> cluster.coordinator
                        .smallFiles()
                        .commit(TestCluster.VOLUME, Optional.of(new WrittenPack(chunk(batch), List.of())), many));
    }

    /** A delayed repetition of the refused commit must not take effect later. */
    @Test
    void fileRefusedForThePresentStateIsGivenUp() throws Exception {
        BatchCommit batch = batch("/a", "/b");
        BatchFile file = batch.files().get(0);
        BatchFile absent = new BatchFile(
                file.version(),
                file.segment(),
                Optional.of(PutCondition.version(VersionId.random())),
                file.created(),
                file.set(),
                file.owed());
        List<CommitOutcome> outcomes =
                commit(chunk(batch), List.of(), absent, batch.files().get(1));
        assertThat(code(outcomes.get(0))).isEqualTo(ErrorCode.CONFLICT);
        assertThat(cluster.catalog.state(file.version().id())).contains(VersionState.RETIRED);
        assertThat(code(commit(chunk(batch), List.of(), file).get(0))).isEqualTo(ErrorCode.CONFLICT);
        assertThat(commit(chunk(batch), List.of(), batch.files().get(1)).get(0))
                .as("repeated")
                .isEqualTo(outcomes.get(1));
    }

    /** An edit shares the slice where the chunk stays as it is, and needs no pack where it does not. */
    @Test
    void editedFileSharesItsSliceOrLeavesThePack() throws Exception {
        BatchCommit batch = cluster.packed(TestCluster.VOLUME, "/a", "/b");
        Chunk pack = chunk(batch);
        FileVersion same = cluster.edit(path("/a"), Edit.truncate(PackSamples.FILE_BYTES));
        assertThat(cluster.segment(same.id(), 0).get(0).id())
                .isEqualTo(pack.id().slice(new ByteRange(0, PackSamples.FILE_BYTES)));
        FileVersion longer = cluster.edit(path("/b"), Edit.write(PackSamples.FILE_BYTES, 5));
        assertThat(cluster.segment(longer.id(), 0)).extracting(Chunk::id).containsExactly(new ChunkId(longer.id(), 0));
        assertThat(cluster.catalog.filesOf(pack.id().version(), "", 10).items())
                .extracting(FileVersion::id)
                .containsExactly(same.id());
    }

    @Test
    void packedFileIsSharedByTheFileThatContinuesWithIt() throws Exception {
        FileVersion base = cluster.put(path("/base"), 2 << 20);
        BatchCommit batch = cluster.packed(TestCluster.VOLUME, "/a");
        FileVersion part = cluster.catalog.current(path("/a")).orElseThrow();
        FileVersion whole = cluster.coordinator.uploads().commit(cluster.concatenated(base.file(), List.of(part)));
        assertThat(cluster.segment(whole.id(), 0).get(2).id())
                .isEqualTo(chunk(batch).id().slice(new ByteRange(0, PackSamples.FILE_BYTES)));
        cluster.catalog.remove(part.file(), cluster.now());
        assertThat(cluster.catalog.filesOf(chunk(batch).id().version(), "", 10).items())
                .extracting(FileVersion::id)
                .containsExactly(whole.id());
    }
}
