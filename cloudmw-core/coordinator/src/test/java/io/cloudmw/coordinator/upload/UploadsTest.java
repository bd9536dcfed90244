package io.cloudmw.coordinator.upload;

import static io.cloudmw.coordinator.AdministrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class UploadsTest {
    private static final FilePath FILE = FilePath.parse("v:/a/b");
    private static final long MIB = 1 << 20;

    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster().withVolume(2);
    }

    @Test
    void pathThatCannotBeCommittedIsRefusedBeforeAnythingIsSent() throws Exception {
        cluster.put(FILE, 10);
        refused(ErrorCode.ALREADY_EXISTS, () -> uploads().begin(FilePath.parse("v:/a"), OptionalLong.of(10)));
        refused(ErrorCode.ALREADY_EXISTS, () -> uploads().begin(FilePath.parse("v:/a/b/c"), OptionalLong.of(10)));
    }

    @Test
    void firstPutExpectsNothingAndTheNextOneTheVersionBefore() throws Exception {
        assertThat(uploads().begin(FILE, OptionalLong.of(10)).expected()).isEmpty();
        FileVersion first = cluster.put(FILE, 10);
        assertThat(uploads().begin(FILE, OptionalLong.of(10)).expected()).contains(first.id());
        FileVersion second = cluster.put(FILE, 3 * MIB + 1);
        assertThat(second.chunkCount()).isEqualTo(4);
        assertThat(second.committedAtMillis()).isEqualTo(cluster.now());
        assertThat(cluster.catalog.current(FILE)).contains(second);
    }

    @Test
    void filesOfEverySizeAroundAChunkAreWritten() throws Exception {
        for (long size : new long[] {0, 1, MIB - 1, MIB, MIB + 1, 3000 * MIB}) {
            FileVersion version = cluster.put(FILE, size);
            assertThat(version.sizeBytes()).isEqualTo(size);
        }
    }

    @Test
    void chunksArePlacedOnAllDisksInOrderAndSentToTheirOwnersInTurn() throws Exception {
        VersionId version = VersionId.random();
        WritePlan plan = uploads().place(FILE, version, 4, 3, Set.of());
        assertThat(plan.placements())
                .extracting(PlacedChunk::chunk)
                .containsExactly(new ChunkId(version, 4), new ChunkId(version, 5), new ChunkId(version, 6));
        assertThat(plan.placements())
                .allSatisfy(placed -> assertThat(placed.stores())
                        .containsExactly(new StoreId("d1"), new StoreId("d2"), new StoreId("d3")));
        assertThat(plan.placements()).extracting(PlacedChunk::helper).doesNotHaveDuplicates();
        assertThat(plan.helpers()).hasSize(3);
        TransferClaims claims = cluster.tokens.verify(plan.token().bytes());
        assertThat(claims.rights()).containsExactly(TransferRight.WRITE);
        assertThat(claims.version()).isEqualTo(version);
    }

    @Test
    void helpersTheWriterCouldNotReachAreAvoidedWhileThereIsAnother() throws Exception {
        HelperId h1 = new HelperId("h1");
        HelperId h2 = new HelperId("h2");
        HelperId h3 = new HelperId("h3");
        VersionId version = VersionId.random();
        assertThat(uploads().place(FILE, version, 0, 9, Set.of(h1, h2)).placements())
                .allSatisfy(placed -> assertThat(placed.helper()).isEqualTo(h3));
        assertThat(uploads().place(FILE, version, 0, 9, Set.of(h1, h2, h3)).placements())
                .hasSize(9);
    }

    @Test
    void copyOnAnAbsentDiskIsOwed() throws Exception {
        loseHelperThree();
        WritePlan plan = uploads().place(FILE, VersionId.random(), 0, 6, Set.of());
        assertThat(plan.placements()).allSatisfy(placed -> {
            assertThat(placed.stores()).hasSize(3);
            assertThat(placed.owed()).containsExactly(new StoreId("d3"));
            assertThat(placed.writable()).containsExactly(new StoreId("d1"), new StoreId("d2"));
            assertThat(placed.helper()).isNotEqualTo(new HelperId("h3"));
        });
        assertThat(plan.stores()).anySatisfy(store -> {
            assertThat(store.store().id()).isEqualTo(new StoreId("d3"));
            assertThat(store.available()).isFalse();
        });
        FileVersion written = cluster.written(FILE, 2 * MIB);
        List<ReplicaReport> owed = List.of(owed(written, 0, "d3"), owed(written, 1, "d3"));
        uploads().commit(written, Optional.empty(), owed);
        assertThat(cluster.coordinator.names().stat(FILE).underReplicatedChunks())
                .isEqualTo(2);
        assertThat(cluster.coordinator
                        .replicas()
                        .underReplicated(TestCluster.VOLUME, "", 0)
                        .items())
                .isEqualTo(owed);
    }

    @Test
    void placementBelowTheQuorumIsRefused() throws Exception {
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.heartbeat(1);
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.coordinator.administration().registerHelper(cluster.helper(2), 1, List.of());
        assertThatThrownBy(() -> uploads().place(FILE, VersionId.random(), 0, 1, Set.of()))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET))
                .hasMessage(FILE + ", volume v: 1 of 3 stores can be written to now (expected: >= 2, the write quorum);"
                        + " not d2 (helper h2 does not have it), d3 (helper h3 is away)");
    }

    @Test
    void storeNeedsRoomForTheChunk() throws Exception {
        for (int disk = 1; disk <= 3; disk++) {
            cluster.heartbeat(disk, 3 * MIB / 4, MIB);
        }
        VersionId version = VersionId.random();
        PlacementRequest fits =
                new PlacementRequest(FILE, version, 0, 1, Set.of(), Optional.of(new ChunkCutter(MIB / 2, MIB)));
        assertThat(uploads().place(fits).placements())
                .singleElement()
                .satisfies(placed -> assertThat(placed.owed()).isEmpty());
        PlacementRequest large =
                new PlacementRequest(FILE, version, 0, 2, Set.of(), Optional.of(new ChunkCutter(3 * MIB / 2, MIB)));
        assertThatThrownBy(() -> uploads().place(large))
                .hasMessageContaining("d1 (needs 1.0 MiB, 768.0 KiB free besides the reserve of 1.0 MiB)");
        PlacementRequest last =
                new PlacementRequest(FILE, version, 1, 1, Set.of(), Optional.of(new ChunkCutter(3 * MIB / 2, MIB)));
        assertThat(uploads().place(last).placements()).hasSize(1);
        assertThatThrownBy(() -> uploads().place(FILE, version, 0, 1, Set.of()))
                .hasMessageContaining("needs 1.0 MiB, 768.0 KiB free");
        refused(ErrorCode.INVALID_ARGUMENT, () -> PlacementRequest.cut(5, 0));
    }

    @Test
    void diskNotNamedByItsOwnerGetsNothing() throws Exception {
        HelperAddress h3 = cluster.helper(3);
        cluster.coordinator.administration().registerHelper(h3, 1, List.of());
        PlacedChunk placed = uploads()
                .place(FILE, VersionId.random(), 0, 1, Set.of())
                .placements()
                .get(0);
        assertThat(placed.owed()).containsExactly(new StoreId("d3"));
    }

    @Test
    void placementWaitsForDiskOwnersAfterARestartButNotForever() throws Exception {
        cluster.restart();
        cluster.helper(1);
        cluster.helper(2);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> uploads().place(FILE, VersionId.random(), 0, 1, Set.of()));
        cluster.ticker.advance(Duration.ofSeconds(6));
        cluster.heartbeat(1);
        cluster.heartbeat(2);
        cluster.ticker.advance(Duration.ofSeconds(1));
        assertThat(uploads().place(FILE, VersionId.random(), 0, 1, Set.of()).placements())
                .hasSize(1);
    }

    @Test
    void placementInBucketsWaitsForAnyHelperAfterARestartButNotForever() throws Exception {
        cluster.coordinator.administration().addStore(TestCluster.bucket("b1"), false, Optional.empty());
        cluster.coordinator.administration().createVolume(TestCluster.volume("buckets", 1, 1, "b1"), Optional.empty());
        FilePath file = FilePath.parse("buckets:/a");
        cluster.restart();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> uploads().place(file, VersionId.random(), 0, 1, Set.of()));
        cluster.helper(1);
        assertThat(uploads().place(file, VersionId.random(), 0, 1, Set.of()).placements())
                .hasSize(1);
        cluster.restart();
        cluster.ticker.advance(Duration.ofSeconds(7));
        refused(ErrorCode.HELPER_UNAVAILABLE, () -> uploads().place(file, VersionId.random(), 0, 1, Set.of()));
    }

    @Test
    void uploadThatBeganBeforeARestartContinues() throws Exception {
        FileVersion written = cluster.written(FILE, 5 * MIB);
        cluster.restart();
        FileVersion committed = uploads().commit(written, Optional.empty(), List.of());
        assertThat(cluster.catalog.current(FILE)).contains(committed);
    }

    @Test
    void writerThatCommitsSecondGetsAConflict() throws Exception {
        FileVersion one = cluster.written(FILE, MIB);
        FileVersion two = cluster.written(FILE, MIB);
        FileVersion committed = uploads().commit(one, Optional.empty(), List.of());
        refused(ErrorCode.CONFLICT, () -> uploads().commit(two, Optional.empty(), List.of()));
        assertThat(uploads().commit(one, Optional.empty(), List.of()))
                .as("repeated")
                .isEqualTo(committed);
    }

    @Test
    void refusedCommitIsNotMadeByALateRetryWhenThePathIsFree() throws Exception {
        FileVersion below = cluster.written(FilePath.parse(FILE + "/c"), MIB);
        FileVersion there = cluster.put(FILE, MIB);
        FileVersion late = cluster.written(FILE, MIB);
        refused(ErrorCode.CONFLICT, () -> uploads().commit(late, Optional.empty(), List.of()));
        refused(ErrorCode.ALREADY_EXISTS, () -> uploads().commit(below, Optional.empty(), List.of()));
        cluster.catalog.remove(FILE, cluster.now());
        refused(ErrorCode.CONFLICT, () -> uploads().commit(late, Optional.empty(), List.of()));
        refused(ErrorCode.CONFLICT, () -> uploads().commit(below, Optional.empty(), List.of()));
        assertThat(cluster.catalog.current(FILE)).isEmpty();
        assertThat(cluster.catalog.retired("", 10).items())
                .as("what was sent is collected")
                .extracting(RetiredVersion::id)
                .containsExactlyInAnyOrder(there.id(), late.id(), below.id());
    }

    @Test
    void manifestOfAnotherFileIsRefused() throws Exception {
        FileVersion good = cluster.written(FILE, 3 * MIB);
        invalid(with(good, good.sizeBytes() + 1, good.chunkCount(), good.segmentCount()));
        invalid(with(good, good.sizeBytes(), good.chunkCount() + 1, good.segmentCount()));
        invalid(with(good, good.sizeBytes(), good.chunkCount(), good.segmentCount() + 1));
        invalid(with(good, 5000 * MIB, 5000, 20));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> uploads().commit(good, Optional.empty(), List.of(owed(good, 3, "d1"))));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> uploads().commit(good, Optional.empty(), List.of(owed(good, 0, "elsewhere"))));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> uploads()
                        .commit(
                                good,
                                Optional.empty(),
                                List.of(new ReplicaReport(
                                        new ChunkId(good.id(), 0), new StoreId("d1"), ReplicaState.GOOD))));
        assertThat(cluster.catalog.current(FILE)).isEmpty();
        uploads().commit(good, Optional.empty(), List.of());
    }

    @Test
    void chunksNotPlacedAsPlannedAreRefused() throws Exception {
        List<StoreId> fewer = List.of(new StoreId("d1"), new StoreId("d2"));
        List<StoreId> foreign = List.of(new StoreId("d1"), new StoreId("d2"), new StoreId("x"));
        changed(c -> new Chunk(c.index(), c.id(), c.range(), c.leafSizeBytes(), c.leaves(), fewer));
        changed(c -> new Chunk(c.index(), c.id(), c.range(), c.leafSizeBytes(), c.leaves(), foreign));
        changed(c -> new Chunk(
                c.index(),
                new ChunkId(VersionId.random(), c.index()),
                c.range(),
                c.leafSizeBytes(),
                c.leaves(),
                c.replicas()));
        changed(c -> new Chunk(c.index() + 1, c.id(), c.range(), c.leafSizeBytes(), c.leaves(), c.replicas()));
        changed(c -> new Chunk(c.index(), c.id(), new ByteRange(1, MIB), c.leafSizeBytes(), c.leaves(), c.replicas()));
        changed(c -> new Chunk(
                c.index(), c.id(), c.range(), 1 << 20, new LeafDigests(new int[1], new byte[32]), c.replicas()));
    }

    @Test
    void chunkNeedsItsQuorumOfDurableCopies() throws Exception {
        FileVersion version = cluster.written(FILE, MIB);
        refused(
                ErrorCode.QUORUM_NOT_MET,
                () -> uploads()
                        .commit(version, Optional.empty(), List.of(owed(version, 0, "d1"), owed(version, 0, "d2"))));
        cluster.coordinator
                .replicas()
                .report(
                        FILE,
                        version.id(),
                        List.of(new ReplicaReport(
                                new ChunkId(version.id(), 0), new StoreId("d3"), ReplicaState.CORRUPT)));
        refused(
                ErrorCode.QUORUM_NOT_MET,
                () -> uploads().commit(version, Optional.empty(), List.of(owed(version, 0, "d1"))));
        uploads().commit(version, Optional.empty(), List.of());
    }

    @Test
    void fileOfUnknownLengthIsCutAsTheLongestUnlessItsLengthDecides() throws Exception {
        assertThat(uploads().begin(FILE, OptionalLong.empty()).manifest())
                .contains(ManifestPlan.longest(MIB, Leaves.DEFAULT_SIZE_BYTES));
        Volume ofSize = cluster.catalog.volume(FILE.volume()).orElseThrow();
        VolumeName name = new VolumeName("bycount");
        cluster.catalog.createVolume(new Volume(
                name,
                new Chunking.ByCount(3),
                ofSize.replicas(),
                ofSize.stores(),
                ofSize.writeQuorum(),
                ofSize.mode(),
                ofSize.rotateReplicas(),
                0));
        assertThat(uploads()
                        .begin(new FilePath(name, "/a"), OptionalLong.empty())
                        .manifest())
                .isEmpty();
    }

    @Test
    void fileIsCutIntoTheLeavesOfItsVolume() throws Exception {
        Volume usual = cluster.catalog.volume(FILE.volume()).orElseThrow();
        for (Chunking chunking : List.of(new Chunking.ByCount(3, 16 << 10), new Chunking.BySize(MIB, 16 << 10))) {
            VolumeName name = new VolumeName("small" + chunking.chunkSizeBytes(1));
            cluster.catalog.createVolume(new Volume(
                    name,
                    chunking,
                    usual.replicas(),
                    usual.stores(),
                    usual.writeQuorum(),
                    usual.mode(),
                    usual.rotateReplicas(),
                    0));
            FilePath file = new FilePath(name, "/a");
            assertThat(uploads().begin(file, OptionalLong.of(5 * MIB)).manifest())
                    .hasValueSatisfying(plan -> assertThat(plan.leafSizeBytes()).isEqualTo(16 << 10));
            assertThat(uploads().begin(file, OptionalLong.empty()).manifest().stream()
                            .mapToInt(ManifestPlan::leafSizeBytes))
                    .allMatch(bytes -> bytes == 16 << 10);
        }
    }

    @Test
    void uploadContinuesUntilItIsAbandoned() throws Exception {
        FileVersion version = cluster.written(FILE, MIB);
        cluster.ticker.advance(Duration.ofDays(6));
        assertThat(uploads().resume(version.id())).isTrue();
        cluster.ticker.advance(Duration.ofDays(6));
        cluster.restart();
        cluster.coordinator.retireAbandoned();
        assertThat(uploads().resume(version.id())).isTrue();
        cluster.ticker.advance(Duration.ofDays(8));
        cluster.restart();
        cluster.coordinator.retireAbandoned();
        assertThat(uploads().resume(version.id())).isFalse();
        assertThat(uploads().resume(VersionId.random())).isFalse();
    }

    @Test
    void outOfBoundsRequestsAreRefused() {
        VersionId version = VersionId.random();
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().begin(FILE, OptionalLong.of(-1)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().begin(FILE, OptionalLong.of(Long.MAX_VALUE)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().place(FILE, version, 0, 0, Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().place(FILE, version, 0, Uploads.MAX_BATCH + 1, Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().place(FILE, version, -1, 1, Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().place(FILE, version, Long.MAX_VALUE, 1, Set.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().putSegment(version, -1, List.of()));
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().putSegment(version, 0, List.of()));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> uploads().begin(FilePath.parse("none:/a"), OptionalLong.of(1)));
    }

    @Test
    void uploadWithoutProgressIsAbandoned() throws Exception {
        FileVersion stale = cluster.written(FILE, MIB);
        cluster.ticker.advance(Duration.ofDays(8));
        cluster.restart();
        cluster.coordinator.retireAbandoned();
        refused(ErrorCode.CONFLICT, () -> uploads().commit(stale, Optional.empty(), List.of()));
        assertThat(cluster.catalog.retired("", 10).items()).hasSize(1);
    }

    private void changed(UnaryOperator<Chunk> change) throws Exception {
        FileVersion version = cluster.written(FILE, MIB, change);
        invalid(version);
    }

    private void invalid(FileVersion version) {
        refused(ErrorCode.INVALID_ARGUMENT, () -> uploads().commit(version, Optional.empty(), List.of()));
    }

    private void loseHelperThree() throws Exception {
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.heartbeat(1);
        cluster.heartbeat(2);
        cluster.ticker.advance(Duration.ofSeconds(5));
    }

    private static ReplicaReport owed(FileVersion version, long chunk, String store) {
        return new ReplicaReport(new ChunkId(version.id(), chunk), new StoreId(store), ReplicaState.OWED);
    }

    private static FileVersion with(FileVersion version, long size, long chunks, int segments) {
        return new FileVersion(
                version.file(),
                version.id(),
                size,
                chunks,
                segments,
                version.leafSizeBytes(),
                0,
                version.manifestSha256());
    }

    private Uploads uploads() {
        return cluster.coordinator.uploads();
    }
}
