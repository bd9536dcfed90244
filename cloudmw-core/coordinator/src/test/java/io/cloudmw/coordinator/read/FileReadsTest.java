package io.cloudmw.coordinator.read;

import static io.cloudmw.coordinator.AdministrationTest.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.coordinator.CoordinatorOptions;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.names.FileNames;
import io.cloudmw.coordinator.names.FileReplication;
import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FileReadsTest {
    private static final FilePath FILE = FilePath.parse("v:/a/b");
    private static final long MIB = 1 << 20;

    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster().withVolume(2);
    }

    @Test
    void planNamesTheVersionTheHelpersInRankOrderAndAToken() throws Exception {
        FileVersion version = cluster.put(FILE, 5 * MIB);
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.version()).isEqualTo(version);
        assertThat(ids(plan)).containsExactly(id(1), id(2), id(3));
        assertThat(plan.stores())
                .hasSize(3)
                .allSatisfy(store -> assertThat(store.available()).isTrue());
        assertThat(plan.replicas()).isEqualTo(3);
        TransferClaims claims = cluster.tokens.verify(plan.token().bytes());
        claims.require(TransferRight.READ, new ChunkId(version.id(), 4));
        assertThat(claims.rights()).containsExactly(TransferRight.READ);
    }

    @Test
    void segmentsTogetherHoldAllChunksAndMatchTheManifest() throws Exception {
        FileVersion version = cluster.put(FILE, 3000 * MIB);
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        var digest = new io.cloudmw.core.manifest.ManifestDigest();
        List<Chunk> chunks = new ArrayList<>();
        for (int segment = 0; segment < version.segmentCount(); segment++) {
            ReadPlanSegment planned = reads().segment(FILE, version.id(), segment, ids(plan), false);
            planned.chunks().forEach(chunk -> chunks.add(chunk.chunk()));
            digest.add(planned.sha256Bytes());
        }
        assertThat(chunks).hasSize(3000);
        assertThat(digest.finish()).isEqualTo(version.manifestSha256());
        refused(
                ErrorCode.NOT_FOUND,
                () -> reads().segment(FILE, version.id(), version.segmentCount(), ids(plan), false));
    }

    @Test
    void raceForAllChunksAtOnceUsesAllHelpers() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        for (int number = 4; number <= 20; number++) {
            cluster.helper(number);
        }
        assertThat(reads().plan(FILE, Optional.empty(), Optional.empty()).helpers())
                .hasSize(3);
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.of(Mode.KN));
        assertThat(plan.mode()).isEqualTo(Mode.KN);
        assertThat(plan.helpers()).hasSize(16);
        assertThat(chunk(version, ids(plan)).entrants()).hasSize(3);
    }

    @Test
    void helperIRacesForReplicaIAndBadReplicasAreLeftOut() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(chunk(version, ids(plan)).entrants()).containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
        report(version, "d2", ReplicaState.MISSING);
        assertThat(chunk(version, ids(plan)).entrants()).containsExactly(entrant(0, 0), entrant(2, 2));
        assertThat(chunk(version, ids(plan)).bad()).containsExactly(new StoreId("d2"));
        report(version, "d2", ReplicaState.GOOD);
        assertThat(chunk(version, ids(plan)).bad()).isEmpty();
    }

    @Test
    void entrantsAreRanksOfThePlanEvenWhenTheCoordinatorHasForgottenItsHelpers() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        List<HelperId> ranked = new ArrayList<>(ids(reads().plan(FILE, Optional.empty(), Optional.empty())));
        cluster.restart();
        assertThat(chunk(version, ranked).entrants()).containsExactly(entrant(0, 0), entrant(1, 1), entrant(2, 2));
        Collections.reverse(ranked);
        assertThat(chunk(version, ranked).entrants()).containsExactly(entrant(2, 0), entrant(1, 1), entrant(0, 2));
    }

    @Test
    void planWaitsForAHelperAfterAStartButNotForever() throws Exception {
        cluster.put(FILE, MIB);
        cluster.restart();
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> reads().plan(FILE, Optional.empty(), Optional.empty()));
        cluster.ticker.advance(Duration.ofSeconds(7));
        assertThat(reads().plan(FILE, Optional.empty(), Optional.empty()).helpers())
                .isEmpty();
    }

    @Test
    void planWaitsAfterAStartWhileAllCopiesOfAChunkMayBeAtAbsentHelpers() throws Exception {
        FilePath once = FilePath.parse("once:/a");
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("once", 1, 1, "d1", "d2", "d3"), Optional.empty());
        cluster.put(once, MIB);
        cluster.put(FILE, MIB);
        cluster.restart();
        cluster.helper(1);
        assertThat(ids(reads().plan(FILE, Optional.empty(), Optional.empty())))
                .as("one of three copies is enough")
                .containsExactly(id(1));
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> reads().plan(once, Optional.empty(), Optional.empty()));
        cluster.helper(2);
        refused(ErrorCode.COORDINATOR_UNAVAILABLE, () -> reads().plan(once, Optional.empty(), Optional.empty()));
        cluster.helper(3);
        assertThat(ids(reads().plan(once, Optional.empty(), Optional.empty()))).containsExactly(id(1), id(2), id(3));
        cluster.restart();
        cluster.ticker.advance(Duration.ofSeconds(7));
        cluster.helper(1);
        assertThat(ids(reads().plan(once, Optional.empty(), Optional.empty()))).containsExactly(id(1));
    }

    @Test
    void helperWithoutALeaseIsInNoPlan() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.heartbeat(1);
        cluster.heartbeat(3);
        cluster.ticker.advance(Duration.ofSeconds(5));
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(ids(plan)).containsExactly(id(1), id(3));
        assertThat(chunk(version, ids(plan)).entrants()).containsExactly(entrant(0, 0), entrant(1, 2));
    }

    @Test
    void planBeginsWithTheLiveSwitchesOfTheVolumeUnlessAModeIsNamed() throws Exception {
        cluster.put(FILE, MIB);
        cluster.helper(5, VolumeSet.ALL);
        cluster.helper(4, VolumeSet.parse("v"));
        cluster.helper(6, VolumeSet.parse("w"));
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.switches()).isEqualTo(2);
        assertThat(ids(plan))
                .startsWith(id(4), id(5))
                .contains(id(1), id(2), id(3))
                .doesNotHaveDuplicates();

        ReadPlan raced = reads().plan(FILE, Optional.empty(), Optional.of(Mode.ROUNDS));
        assertThat(raced.switches()).isZero();
        assertThat(raced.helpers()).hasSize(3);
    }

    @Test
    void planForAReaderWithALocationNamesANearSwitch() throws Exception {
        cluster.put(FILE, MIB);
        cluster.helper(4, VolumeSet.ALL, Location.parse("zone-a/host-4"));
        cluster.helper(5, VolumeSet.ALL, Location.parse("zone-b/host-5"));
        Location reader = Location.parse("zone-b/host-9");
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty(), reader);
        assertThat(ids(plan).get(plan.near().orElseThrow())).isEqualTo(id(5));
        assertThat(reads().plan(FILE, Optional.empty(), Optional.empty()).near())
                .isEmpty();
        assertThat(reads().plan(FILE, Optional.empty(), Optional.of(Mode.ROUNDS), reader)
                        .near())
                .isEmpty();
    }

    @Test
    void switchWithoutALeaseIsInNoPlan() throws Exception {
        cluster.put(FILE, MIB);
        cluster.helper(4, VolumeSet.ALL);
        cluster.ticker.advance(Duration.ofSeconds(5));
        cluster.heartbeat(1);
        cluster.heartbeat(2);
        cluster.ticker.advance(Duration.ofSeconds(5));
        assertThat(reads().plan(FILE, Optional.empty(), Optional.empty()).switches())
                .isZero();
    }

    @Test
    void planNamesNoMoreSwitchesThanLeaveRoomForOthers() throws Exception {
        cluster.put(FILE, MIB);
        for (int number = 4; number <= 60; number++) {
            cluster.helper(number, VolumeSet.ALL);
        }
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        assertThat(plan.switches()).isEqualTo(32);
        assertThat(ids(plan)).hasSize(35).contains(id(1), id(2), id(3)).doesNotHaveDuplicates();
    }

    @Test
    void readerOfAnOldVersionFinishesAfterItWasReplacedOrRemoved() throws Exception {
        FileVersion old = cluster.put(FILE, MIB);
        cluster.put(FILE, MIB);
        assertThat(reads().plan(FILE, Optional.of(old.id()), Optional.empty()).version())
                .isEqualTo(old);
        assertThat(chunk(old, List.of(id(1))).chunk().id().version()).isEqualTo(old.id());
        names().remove(FILE, false, Optional.empty());
        assertThat(chunk(old, List.of(id(1))).chunk().id().version()).isEqualTo(old.id());
        refused(ErrorCode.NOT_FOUND, () -> reads().plan(FILE, Optional.empty(), Optional.empty()));
    }

    @Test
    void readerNoticesNoRename() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        ReadPlan plan = reads().plan(FILE, Optional.empty(), Optional.empty());
        FilePath there = FilePath.parse("v:/c/d");
        names().rename(new Rename(FilePath.parse("v:/a"), FilePath.parse("v:/c"), false), Optional.empty());
        names().rename(new Rename(FilePath.parse("v:/c/b"), there, false), Optional.empty());
        assertThat(chunk(version, ids(plan)).chunk().id().version()).isEqualTo(version.id());
        assertThat(reads().plan(FILE, Optional.of(version.id()), Optional.empty())
                        .version())
                .isEqualTo(version);
        assertThat(reads().plan(there, Optional.empty(), Optional.empty()).version())
                .isEqualTo(version.at(there));
        assertThat(reads().plan(there, Optional.of(version.id()), Optional.empty())
                        .version())
                .isEqualTo(version.at(there));
        refused(ErrorCode.NOT_FOUND, () -> reads().plan(FILE, Optional.empty(), Optional.empty()));
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("w", 3, 1, "d1", "d2", "d3"), Optional.empty());
        refused(
                ErrorCode.NOT_FOUND,
                () -> reads().plan(FilePath.parse("w:/a"), Optional.of(version.id()), Optional.empty()));
    }

    @Test
    void directReadsArePresignedForCopiesInBucketsOnlyIncludingBadOnes() throws Exception {
        var administration = cluster.coordinator.administration();
        administration.addStore(TestCluster.bucket("b1"), false, Optional.empty());
        administration.addStore(TestCluster.bucket("b2"), false, Optional.empty());
        administration.createVolume(TestCluster.volume("mixed", 3, 1, "b1", "b2", "d1"), Optional.empty());
        FilePath file = FilePath.parse("mixed:/a");
        FileVersion version = cluster.put(file, MIB);
        ReplicaReport bad = new ReplicaReport(new ChunkId(version.id(), 0), new StoreId("b2"), ReplicaState.MISSING);
        cluster.coordinator.replicas().report(file, version.id(), List.of(bad));
        ReadPlanSegment signed = reads().segment(file, version.id(), 0, List.of(), true);
        assertThat(signed.directValidity())
                .isEqualTo(CoordinatorOptions.defaults().tokenTtl());
        PlannedChunk chunk = signed.chunks().get(0);
        assertThat(chunk.bad()).containsExactly(new StoreId("b2"));
        assertThat(chunk.direct())
                .as("a bad copy is the last resort of a client too")
                .containsOnlyKeys(new StoreId("b1"), new StoreId("b2"));
        assertThat(chunk.toString()).doesNotContain("https://");
        assertThat(reads().segment(file, version.id(), 0, List.of(), false)
                        .chunks()
                        .get(0)
                        .direct())
                .isEmpty();
    }

    @Test
    void sliceIsPresignedAsTheChunkThatHoldsIt() throws Exception {
        var administration = cluster.coordinator.administration();
        administration.addStore(TestCluster.bucket("b1"), false, Optional.empty());
        administration.createVolume(TestCluster.volume("small", 1, 1, "b1"), Optional.empty());
        BatchCommit batch = cluster.packed(new VolumeName("small"), "/a", "/b");
        ChunkId pack = batch.pack().orElseThrow().chunk().id();
        FileVersion second = batch.files().get(1).version();
        PlannedChunk chunk = reads().segment(second.file(), second.id(), 0, List.of(), true)
                .chunks()
                .get(0);
        assertThat(chunk.chunk().id()).isEqualTo(pack.slice(new ByteRange(10, 10)));
        assertThat(chunk.direct()).containsEntry(new StoreId("b1"), URI.create("https://b1/" + pack));
        cluster.tokens
                .verify(chunk.token().orElseThrow().bytes())
                .require(TransferRight.READ, chunk.chunk().id());
    }

    @Test
    void reportAboutASliceIsAboutTheChunkThatHoldsIt() throws Exception {
        BatchCommit batch = cluster.packed(TestCluster.VOLUME, "/s1", "/s2");
        FileVersion first = batch.files().get(0).version();
        FileVersion second = batch.files().get(1).version();
        ChunkId slice =
                batch.files().get(0).segment().orElseThrow().chunks().get(0).id();
        cluster.coordinator
                .replicas()
                .report(
                        first.file(),
                        first.id(),
                        List.of(new ReplicaReport(slice, new StoreId("d2"), ReplicaState.MISSING)));
        assertThat(reads().segment(second.file(), second.id(), 0, List.of(), false)
                        .chunks()
                        .get(0)
                        .bad())
                .as("as another file's reader sees it")
                .containsExactly(new StoreId("d2"));
        assertThat(names().stat(first.file()).underReplicatedChunks()).isEqualTo(1);
    }

    @Test
    void statAndListShowThePresentState() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        assertThat(names().stat(FILE))
                .isEqualTo(
                        new FileReplication(new CurrentFile(version, version.committedAtMillis(), Attributes.NONE), 0));
        assertThat(names().list(TestCluster.VOLUME, "/", "", 0).items())
                .containsExactly(new DirectoryEntry("a", Optional.empty()));
        assertThat(names().list(TestCluster.VOLUME, "/a", "", 0).items())
                .containsExactly(
                        new DirectoryEntry("b", Optional.of(version), Attributes.NONE, version.committedAtMillis()));
        refused(ErrorCode.NOT_FOUND, () -> names().list(TestCluster.VOLUME, "/none", "", 0));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> names().list(new VolumeName("none"), "/", "", 0));
        refused(ErrorCode.VOLUME_NOT_FOUND, () -> names().stat(FilePath.parse("none:/a")));
        refused(ErrorCode.NOT_FOUND, () -> names().stat(FilePath.parse("v:/none")));
    }

    @Test
    void errorNamesTheOtherKindOfEntry() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        FilePath directory = FilePath.parse("v:/a");
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> names().stat(directory),
                () -> names().remove(directory, false, Optional.empty()),
                () -> reads().plan(directory, Optional.empty(), Optional.empty()))) {
            refused(ErrorCode.NOT_FOUND, call);
            assertThatThrownBy(call).hasMessage("file v:/a not found: the path is a directory");
        }
        refused(ErrorCode.NOT_FOUND, () -> names().list(TestCluster.VOLUME, "/a/b", "", 0));
        assertThatThrownBy(() -> names().list(TestCluster.VOLUME, "/a/b", "", 0))
                .hasMessage("directory v:/a/b not found: the path is a file");
        assertThat(names().stat(FILE).file().version()).isEqualTo(version);
    }

    @Test
    void reportsMustBeOfTheVersionAndTheVolumesStores() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        BadReplicaReports replicas = cluster.coordinator.replicas();
        ReplicaReport foreignChunk =
                new ReplicaReport(new ChunkId(VersionId.random(), 0), new StoreId("d1"), ReplicaState.MISSING);
        ReplicaReport foreignStore =
                new ReplicaReport(new ChunkId(version.id(), 0), new StoreId("x"), ReplicaState.MISSING);
        refused(ErrorCode.INVALID_ARGUMENT, () -> replicas.report(FILE, version.id(), List.of(foreignChunk)));
        refused(ErrorCode.INVALID_ARGUMENT, () -> replicas.report(FILE, version.id(), List.of(foreignStore)));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> replicas.report(
                        FILE, version.id(), Collections.nCopies(BadReplicaReports.MAX_REPORTS + 1, foreignStore)));
    }

    @Test
    void planForTooManyHelpersIsRefused() throws Exception {
        FileVersion version = cluster.put(FILE, MIB);
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> reads().segment(FILE, version.id(), 0, Collections.nCopies(49, id(1)), false));
    }

    private PlannedChunk chunk(FileVersion version, List<HelperId> helpers) throws Exception {
        return reads().segment(FILE, version.id(), 0, helpers, false).chunks().get(0);
    }

    private void report(FileVersion version, String store, ReplicaState state) throws Exception {
        ReplicaReport report = new ReplicaReport(new ChunkId(version.id(), 0), new StoreId(store), state);
        cluster.coordinator.replicas().report(FILE, version.id(), List.of(report));
    }

    private static List<HelperId> ids(ReadPlan plan) {
        return plan.helpers().stream().map(HelperAddress::id).toList();
    }

    private static HelperId id(int number) {
        return new HelperId("h" + number);
    }

    private static Entrant entrant(int racer, int replica) {
        return new Entrant(new RacerId(racer), replica);
    }

    private FileNames names() {
        return cluster.coordinator.names();
    }

    private FileReads reads() {
        return cluster.coordinator.reads();
    }
}
