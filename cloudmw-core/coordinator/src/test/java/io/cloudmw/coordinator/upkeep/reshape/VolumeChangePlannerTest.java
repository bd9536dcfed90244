package io.cloudmw.coordinator.upkeep.reshape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.status.StoreStatus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class VolumeChangePlannerTest {
    private static final VolumeName NAME = new VolumeName("v");
    private static final StoreId S1 = new StoreId("s1");
    private static final StoreId S2 = new StoreId("s2");
    private static final StoreId S3 = new StoreId("s3");
    private static final StoreId DRAINED = new StoreId("drained");
    private static final StoreId LOST = new StoreId("lost");

    private final VolumeChangePlanner reshaper = new VolumeChangePlanner(List.of(
            status(bucket(S1), false),
            status(bucket(S2), false),
            status(bucket(S3), false),
            status(bucket(DRAINED), true),
            status(bucket(LOST).lost(5), false)));
    private final Volume volume =
            new Volume(NAME, new Chunking.ByCount(4), 2, List.of(S1, S2), 1, Mode.ROUNDS, false, 7);

    private static Store bucket(StoreId id) {
        return new Store(id, "eu", new Store.S3("b-" + id, "eu", "", false, ""));
    }

    private static StoreStatus status(Store store, boolean draining) {
        return new StoreStatus(store, true, draining, OptionalLong.empty());
    }

    private static VolumeChange.Builder change() {
        return VolumeChange.of(NAME);
    }

    private void refused(ErrorCode code, VolumeChange.Builder change, String... words) {
        CloudMwException refusal =
                catchThrowableOfType(CloudMwException.class, () -> reshaper.reshape(volume, change.build()));
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    @Test
    void addedStoreTakesNewChunks() throws Exception {
        Volume changed = reshaper.reshape(volume, change().addStore(S3).build());
        assertThat(changed.stores()).containsExactly(S1, S2, S3);
        assertThat(changed.leaving()).isEmpty();
        assertThat(changed.generation()).isEqualTo(2);
    }

    @Test
    void removedStoreLeaves() throws Exception {
        Volume changed =
                reshaper.reshape(volume, change().addStore(S3).removeStore(S1).build());
        assertThat(changed.stores()).containsExactly(S2, S3);
        assertThat(changed.leaving()).containsExactly(S1);
        Volume again = reshaper.reshape(changed, change().removeStore(S1).build());
        assertThat(again).as("it leaves already").isEqualTo(changed);
        Volume back = reshaper.reshape(changed, change().addStore(S1).build());
        assertThat(back.stores()).containsExactly(S2, S3, S1);
        assertThat(back.leaving()).isEmpty();
    }

    @Test
    void emptyChangeKeepsTheGeneration() throws Exception {
        assertThat(reshaper.reshape(volume, change().addStore(S1).replicas(2).build()))
                .isEqualTo(volume);
    }

    @Test
    void volumeKeepsAtLeastAsManyUsableStoresAsReplicas() {
        refused(ErrorCode.NOT_ENOUGH_STORES, change().replicas(3), "volume v", "2 stores", "3");
        refused(ErrorCode.NOT_ENOUGH_STORES, change().removeStore(S1), "1 stores");
        refused(ErrorCode.INVALID_ARGUMENT, change().addStore(DRAINED), "drained", "undrain");
        refused(ErrorCode.INVALID_ARGUMENT, change().addStore(LOST), "declared lost");
        refused(ErrorCode.NOT_FOUND, change().addStore(new StoreId("none")), "none");
        refused(ErrorCode.INVALID_ARGUMENT, change().removeStore(S3), "does not use store s3");
    }

    @Test
    void volumeWithTooFewUsableStoresIsChangedUnlessItWouldLackMore() throws Exception {
        Volume lacking = new Volume(NAME, new Chunking.ByCount(4), 4, List.of(S1, DRAINED), 1, Mode.ROUNDS, false, 7);
        Volume nearer = reshaper.reshape(lacking, change().addStore(S2).build());
        assertThat(nearer.stores()).containsExactly(S1, DRAINED, S2);
        assertThat(reshaper.reshape(lacking, change().replicas(3).build()).replicas())
                .isEqualTo(3);
        assertThat(reshaper.reshape(lacking, change().removeStore(DRAINED).build())
                        .stores())
                .as("a drained store takes no chunks: nothing is lacked by its leaving")
                .containsExactly(S1);
        assertThat(reshaper.reshape(
                                lacking, change().addStore(S2).removeStore(S1).build())
                        .stores())
                .containsExactly(DRAINED, S2);
        assertThat(reshaper.reshape(lacking, change().addStore(S2).replicas(5).build())
                        .replicas())
                .isEqualTo(5);
        for (VolumeChange.Builder further : List.of(
                change().replicas(5),
                change().removeStore(S1),
                change().addStore(S2).replicas(6))) {
            CloudMwException refusal =
                    catchThrowableOfType(CloudMwException.class, () -> reshaper.reshape(lacking, further.build()));
            assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_ENOUGH_STORES);
            assertThat(refusal).hasMessageContaining("it lacks 3 now");
        }
    }

    @Test
    void writeQuorumIsAtMostTheReplicas() throws Exception {
        refused(ErrorCode.INVALID_ARGUMENT, change().writeQuorum(3), "write quorum 3", "2 replicas");
        refused(ErrorCode.INVALID_ARGUMENT, change().writeQuorum(0), "writeQuorum");
        Volume strict = reshaper.reshape(volume, change().writeQuorum(2).build());
        CloudMwException refusal = catchThrowableOfType(
                CloudMwException.class,
                () -> reshaper.reshape(strict, change().replicas(1).build()));
        assertThat(refusal).hasMessageContainingAll("write quorum 2", "1 replicas", "--write-quorum");
        assertThat(reshaper.reshape(strict, change().replicas(1).writeQuorum(1).build())
                        .replicas())
                .isEqualTo(1);
    }

    @Test
    void changeOfAnotherGenerationIsAConflict() throws Exception {
        refused(ErrorCode.CONFLICT, change().atGeneration(2).mode(Mode.KN), "generation 1", "expected: 2");
        assertThat(reshaper.reshape(
                                volume, change().atGeneration(1).mode(Mode.KN).build())
                        .mode())
                .isEqualTo(Mode.KN);
    }

    @Test
    void unnamedPropertiesStay() throws Exception {
        Optional<ReadTarget> target = Optional.of(ReadTarget.parse("p99 of 64MiB under 900ms"));
        Volume changed = reshaper.reshape(
                volume, change().target(target).peers(true).leafSizeBytes(4096).build());
        assertThat(changed.chunking()).isEqualTo(new Chunking.ByCount(4, 4096));
        assertThat(changed.target()).isEqualTo(target);
        assertThat(changed.peers()).isTrue();
        Volume sized = reshaper.reshape(changed, change().chunkSizeBytes(8192).build());
        assertThat(sized.chunking()).isEqualTo(new Chunking.BySize(8192, 4096));
        assertThat(sized.target()).isEqualTo(target);
        assertThat(reshaper.reshape(sized, change().target(Optional.empty()).build())
                        .target())
                .isEmpty();
    }
}
