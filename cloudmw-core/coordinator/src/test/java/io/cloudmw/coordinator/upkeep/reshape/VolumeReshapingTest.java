package io.cloudmw.coordinator.upkeep.reshape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.placement.PlannedChunk;
import io.cloudmw.core.status.LostFile;
import io.cloudmw.core.status.ReshapeProgress;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskBatch;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of volume changes and lost stores, over a catalog in memory with simulated helpers. */
final class VolumeReshapingTest {
    private static final FilePath FILE = FilePath.parse("v:/f");
    private static final long MIB = 1 << 20;
    private static final StoreId D1 = new StoreId("d1");
    private static final StoreId D2 = new StoreId("d2");
    private static final StoreId D3 = new StoreId("d3");
    private static final StoreId D4 = new StoreId("d4");
    private static final StoreId D5 = new StoreId("d5");
    private static final int HELPERS = 5;

    private TestCluster cluster;

    /** The locations of copies, as helpers made and deleted them. */
    private final Map<StoreId, Set<ChunkId>> there = new TreeMap<>();

    @BeforeEach
    void fiveHelpersAndAVolumeOfTwoReplicasOnThree() throws CloudMwException {
        cluster = new TestCluster();
        register();
        cluster.coordinator
                .administration()
                .createVolume(TestCluster.volume("v", 2, 1, "d1", "d2", "d3"), Optional.empty());
        pass(1);
    }

    private void register() throws CloudMwException {
        for (int number = 1; number <= HELPERS; number++) {
            cluster.helper(number);
        }
    }

    private void pass(int seconds) throws CloudMwException {
        for (int i = 0; i < seconds; i++) {
            cluster.ticker.advance(Duration.ofSeconds(1));
            for (int number = 1; number <= HELPERS; number++) {
                cluster.heartbeat(number);
            }
            cluster.coordinator.upkeep().tick();
        }
    }

    /** Advances time and lets helpers do their tasks. */
    private void work(Duration time) throws CloudMwException {
        for (long second = 0; second < time.toSeconds(); second += 5) {
            pass(5);
            for (int number = 1; number <= HELPERS; number++) {
                HelperId helper = new HelperId("h" + number);
                for (TaskBatch.Assignment given : cluster.coordinator
                        .upkeep()
                        .work(helper, List.of(), 100)
                        .assignments()) {
                    var unused = cluster.coordinator.upkeep().work(helper, List.of(done(given)), 0);
                }
            }
        }
    }

    private TaskResult done(TaskBatch.Assignment given) {
        Set<ChunkId> lying = there.computeIfAbsent(given.task().store().id(), ignored -> new HashSet<>());
        Page<StoredChunk> page = new Page<>(List.of(), "");
        if (given.task() instanceof Task.Copy copy) {
            lying.add(copy.chunk().id());
        } else if (given.task() instanceof Task.Delete delete) {
            delete.chunks().forEach(lying::remove);
        } else if (given.task() instanceof Task.Survey) {
            Set<ChunkId> sorted = new TreeSet<>(java.util.Comparator.comparing(ChunkId::toString));
            sorted.addAll(lying);
            page = new Page<>(
                    sorted.stream().map(chunk -> new StoredChunk(chunk, MIB)).toList(), "");
        }
        return new TaskResult(given.number(), Optional.empty(), "", MIB, List.of(), Optional.empty(), page);
    }

    private FileVersion put(long bytes) throws CloudMwException {
        FileVersion version = cluster.put(FILE, bytes);
        placed(version)
                .forEach((chunk, stores) -> stores.forEach(store ->
                        there.computeIfAbsent(store, ignored -> new HashSet<>()).add(chunk)));
        return version;
    }

    private Map<ChunkId, List<StoreId>> placed(FileVersion version) throws CloudMwException {
        Map<ChunkId, List<StoreId>> stores = new TreeMap<>(java.util.Comparator.comparing(ChunkId::toString));
        for (PlannedChunk chunk : cluster.coordinator
                .reads()
                .segment(FILE, version.id(), 0, List.of(), false)
                .chunks()) {
            assertThat(chunk.bad()).isEmpty();
            stores.put(chunk.chunk().id(), chunk.chunk().replicas());
        }
        return stores;
    }

    private Volume change(VolumeChange.Builder change) throws CloudMwException {
        return cluster.coordinator.administration().changeVolume(change.build(), Optional.empty());
    }

    private VolumeChange.Builder change() {
        return VolumeChange.of(TestCluster.VOLUME);
    }

    private Volume volume() throws CloudMwException {
        return cluster.coordinator.administration().volume(TestCluster.VOLUME);
    }

    private ReshapeProgress progress() throws CloudMwException {
        return cluster.coordinator.upkeep().status().reshape();
    }

    private Duration grace() {
        return cluster.options.tokenTtl().plus(cluster.options.upkeep().clockSkew());
    }

    @Test
    void moreReplicasAreMadeOfExistingFiles() throws CloudMwException {
        FileVersion version = put(8 * MIB);
        change(change().replicas(3));
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(3));
    }

    @Test
    void fewerReplicasAreKeptOnceThereAreEnoughGoodOnes() throws CloudMwException {
        change(change().replicas(3));
        FileVersion version = put(8 * MIB);
        change(change().replicas(1));
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(1));
    }

    @Test
    void newChunksGoToAnAddedStore() throws CloudMwException {
        change(change().addStore(D4));
        assertThat(placed(put(20 * MIB)).values())
                .anySatisfy(stores -> assertThat(stores).contains(D4));
    }

    @Test
    void leavingStoreIsReleasedWhenNothingOfTheVolumeIsThere() throws CloudMwException {
        FileVersion version = put(8 * MIB);
        FileVersion retired = version;
        version = put(9 * MIB);
        assertThat(there.get(D1)).isNotEmpty();
        change(change().addStore(D4).removeStore(D1));
        assertThat(placed(version).values())
                .as("it is read meanwhile")
                .anySatisfy(stores -> assertThat(stores).contains(D1));
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .hasSize(9)
                .allSatisfy(stores -> assertThat(stores).hasSize(2).doesNotContain(D1));
        assertThat(volume().leaving()).as("its garbage is not deleted yet").containsExactly(D1);
        assertThat(progress().volumes().get(0).leaving().get(0).copies()).hasValue(0);
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class,
                () -> cluster.coordinator.administration().removeStore(D1, Optional.empty()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.STORE_IN_USE);

        work(grace().multipliedBy(4));
        assertThat(there.get(D1)).isEmpty();
        assertThat(cluster.catalog.version(retired.id())).isEmpty();
        assertThat(volume().leaving()).isEmpty();
        cluster.coordinator.administration().removeStore(D1, Optional.empty());
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).hasSize(2));
    }

    @Test
    void chunkOfAPackIsMovedAndCountedOnce() throws CloudMwException {
        var batch = cluster.packed(TestCluster.VOLUME, "/s1", "/s2", "/s3");
        Chunk pack = batch.pack().orElseThrow().chunk();
        pack.replicas()
                .forEach(store ->
                        there.computeIfAbsent(store, ignored -> new HashSet<>()).add(pack.id()));
        StoreId leaving = pack.replicas().get(0);
        change(change().addStore(D4).removeStore(leaving));
        work(grace().multipliedBy(5));
        assertThat(cluster.catalog.volume(TestCluster.VOLUME).orElseThrow().storesInUse())
                .doesNotContain(leaving);
        assertThat(there.values().stream().flatMap(Set::stream))
                .as("two copies, of no slice")
                .containsExactly(pack.id(), pack.id());
    }

    /** Copies were deleted by hand, or the disk was replaced: no round finds such dropped copies. */
    @Test
    void storeWhoseCopiesWereMissingAlreadyIsReleased() throws CloudMwException {
        FileVersion version = put(8 * MIB);
        assertThat(there.get(D1)).isNotEmpty();
        there.put(D1, new HashSet<>());
        change(change().addStore(D4).removeStore(D1));
        work(Duration.ofMinutes(2));
        assertThat(volume().leaving())
                .as("a copy that comes late is waited for")
                .containsExactly(D1);
        work(grace().multipliedBy(2));
        assertThat(volume().leaving()).isEmpty();
        assertThat(placed(version).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(2).doesNotContain(D1));
    }

    @Test
    void openUploadHoldsAStore() throws CloudMwException {
        FileVersion open = cluster.written(FILE, 8 * MIB);
        change(change().addStore(D4).removeStore(D1));
        work(Duration.ofMinutes(10));
        assertThat(volume().leaving()).containsExactly(D1);
        assertThat(progress().volumes().get(0).leaving().get(0).uploads()).isPositive();
        FileVersion committed = cluster.coordinator.uploads().commit(open, Optional.empty(), List.of());
        work(Duration.ofMinutes(4));
        assertThat(placed(committed).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(2).doesNotContain(D1));
    }

    /** Regression: the upload held the store as long as tokens are valid, and uploads_left was 0 meanwhile. */
    @Test
    void uploadThatOnlyPlacedChunksIsCountedWhileItHoldsAStore() throws CloudMwException {
        cluster.coordinator.uploads().place(FILE, VersionId.random(), 0, 1, Set.of());
        change(change().addStore(D4).removeStore(D1));
        work(Duration.ofMinutes(5));
        assertThat(volume().leaving()).containsExactly(D1);
        assertThat(progress().volumes().get(0).leaving().get(0).uploads()).isEqualTo(1);
        assertThat(catchThrowableOfType(
                        CloudMwException.class,
                        () -> cluster.coordinator.administration().removeStore(D1, Optional.empty())))
                .hasMessageContainingAll("store d1 is leaving volume v", "no upload under way", "volume show v");
    }

    /** Regression: any running upload in the cluster held the lost store as long as tokens are valid. */
    @Test
    void runningUploadDoesNotHoldALostStore() throws CloudMwException {
        FileVersion open = cluster.written(FILE, 8 * MIB);
        cluster.coordinator.uploads().place(FILE, VersionId.random(), 0, 1, Set.of());
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        work(Duration.ofMinutes(5));
        assertThat(volume().leaving()).isEmpty();
        cluster.coordinator.administration().removeStore(D1, Optional.empty());
        assertThat(catchThrowableOfType(
                        CloudMwException.class,
                        () -> cluster.coordinator.uploads().commit(open, Optional.empty(), List.of())))
                .hasMessageContainingAll("d1", "does not use any more", "put the file again");
    }

    @Test
    void emptyStoreIsReleasedWithinMinutes() throws CloudMwException {
        change(change().addStore(D4));
        change(change().removeStore(D4));
        assertThat(volume().leaving()).containsExactly(D4);
        work(Duration.ofMinutes(5));
        assertThat(volume().leaving()).isEmpty();
    }

    @Test
    void restartedCoordinatorContinues() throws CloudMwException {
        FileVersion version = put(8 * MIB);
        change(change().addStore(D4).removeStore(D1));
        pass(3);
        cluster.restart();
        register();
        work(grace().multipliedBy(4));
        assertThat(volume().leaving()).isEmpty();
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).hasSize(2).doesNotContain(D1));
    }

    @Test
    void copiesOfALostStoreAreMadeAtOnceAndItIsReleased() throws CloudMwException {
        FileVersion version = put(8 * MIB);
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        assertThat(volume().stores()).doesNotContain(D1);
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).doesNotContain(D1));
        work(Duration.ofMinutes(1));
        assertThat(placed(version).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(2));
        work(Duration.ofMinutes(5));
        assertThat(volume().leaving()).isEmpty();
        assertThat(progress().lostFileCount()).isZero();
        cluster.coordinator.administration().removeStore(D1, Optional.empty());
        assertThat(placed(version).values())
                .hasSize(8)
                .allSatisfy(stores -> assertThat(stores).hasSize(2));
    }

    @Test
    void helperThatReturnsWithALostDiskGetsARemedy() throws CloudMwException {
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, () -> cluster.helper(1));
        assertThat(refusal).hasMessageContainingAll("d1", "declared lost", "store rm d1");
    }

    @Test
    void filesWithoutAnyCopyAreListedAndNameTheLostStoreWhenRead() throws CloudMwException {
        change(change().replicas(1).removeStore(new StoreId("d2")).removeStore(new StoreId("d3")));
        FileVersion version = put(2 * MIB);
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        CloudMwException refusal = catchThrowableOfType(CloudMwException.class, () -> placed(version));
        assertThat(refusal.code()).isEqualTo(ErrorCode.REPLICA_MISSING);
        assertThat(refusal).hasMessageContainingAll("v:/f", "declared lost: [d1]");
        work(Duration.ofMinutes(2));
        assertThat(progress().lostFiles()).containsExactly(new LostFile(FILE, List.of(D1)));
        assertThat(progress().volumes().get(0).missingStores()).isEqualTo(1);
        assertThat(volume().leaving()).contains(D1);
        change(change().addStore(D4));
        cluster.coordinator.names().remove(FILE, false, Optional.empty());
        work(Duration.ofMinutes(5));
        assertThat(progress().lostFiles()).isEmpty();
        assertThat(volume().leaving()).doesNotContain(D1);
    }

    @Test
    void allFilesOfAPackWithoutAnyCopyAreListed() throws CloudMwException {
        change(change().replicas(1).removeStore(new StoreId("d2")).removeStore(new StoreId("d3")));
        var unused = cluster.packed(TestCluster.VOLUME, "/s1", "/s2", "/s3");
        cluster.coordinator.names().remove(FilePath.parse("v:/s2"), false, Optional.empty());
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        work(Duration.ofMinutes(2));
        assertThat(progress().lostFiles())
                .containsExactlyInAnyOrder(
                        new LostFile(FilePath.parse("v:/s1"), List.of(D1)),
                        new LostFile(FilePath.parse("v:/s3"), List.of(D1)));
    }

    @Test
    void writesContinueWithTheRemainingStores() throws CloudMwException {
        change(change().replicas(3));
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        FileVersion version = put(4 * MIB);
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).hasSize(2));
        work(Duration.ofMinutes(1));
        assertThat(cluster.coordinator.upkeep().status().repair().underReplicated())
                .isEqualTo(Map.of(2, 4L));
        change(change().addStore(D4));
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).hasSize(3));
    }

    @Test
    void volumeWithTooFewStoresTakesAStoreThatIsNotYetEnough() throws CloudMwException {
        change(change().replicas(3));
        FileVersion version = put(4 * MIB);
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        cluster.coordinator.administration().loseStore(D2, Optional.empty());
        change(change().addStore(D4));
        assertThat(volume().stores()).containsExactly(D3, D4);
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .allSatisfy(stores -> assertThat(stores).containsExactlyInAnyOrder(D3, D4));
        change(change().addStore(D5));
        work(Duration.ofMinutes(2));
        assertThat(placed(version).values())
                .hasSize(4)
                .allSatisfy(stores -> assertThat(stores).containsExactlyInAnyOrder(D3, D4, D5));
    }

    @Test
    void putThatLostAStoreWaitsUntilTheVolumeHasEnoughStoresAgain() throws CloudMwException {
        change(change().removeStore(D3).writeQuorum(2));
        VersionId version = VersionId.random();
        cluster.coordinator.uploads().place(FILE, version, 0, 1, Set.of());
        cluster.coordinator.administration().loseStore(D1, Optional.empty());
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class, () -> cluster.coordinator.uploads().place(FILE, version, 1, 1, Set.of()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.QUORUM_NOT_MET);
        assertThat(refusal.verdict()).isEqualTo(RetryVerdict.SAME_REPLICA);
        assertThat(refusal)
                .hasMessageContainingAll(
                        "1 of 1 stores can be written to", ">= 2", "cloudmw volume set v --add-store ID");
        change(change().addStore(D4));
        assertThat(cluster.coordinator
                        .uploads()
                        .place(FILE, version, 1, 1, Set.of())
                        .placements()
                        .get(0)
                        .stores())
                .containsExactlyInAnyOrder(D2, D4);
    }

    @Test
    void uploadThatBeganBeforeAChangeIsCommittedWithItsOldLayout() throws CloudMwException {
        FileVersion open = cluster.written(FILE, 4 * MIB).committed(0, MIB);
        change(change().chunkSizeBytes(2 * MIB).leafSizeBytes(64 << 10).replicas(3));
        FileVersion committed = cluster.coordinator.uploads().commit(open, Optional.empty(), List.of());
        assertThat(committed.chunkCount()).isEqualTo(4);
        FileVersion edited = cluster.edit(FILE, Edit.append(1));
        assertThat(edited.chunkSizeBytes()).as("as the version it changes").isEqualTo(MIB);
        assertThat(edited.leafSizeBytes()).isEqualTo(committed.leafSizeBytes());
        List<ChunkId> shared = new ArrayList<>(placed(committed).keySet());
        assertThat(placed(edited).keySet()).containsAll(shared);
        assertThat(cluster.put(FILE, 4 * MIB).chunkCount()).as("written whole").isEqualTo(2);
    }
}
