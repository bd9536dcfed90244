package io.cloudmw.coordinator.testing.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.CallId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Contract of catalogs for volumes and stores that change. */
public abstract class ChangedVolumesContract extends CatalogFixture {
    private static final StoreId S3 = new StoreId("s3");

    private static Volume leaving(Volume volume, StoreId store) {
        List<StoreId> filling = new ArrayList<>(volume.stores());
        filling.remove(store);
        List<StoreId> leaving = new ArrayList<>(volume.leaving());
        leaving.add(store);
        return volume.withStores(filling, leaving);
    }

    private static Volume with(Volume volume, StoreId store) {
        List<StoreId> filling = new ArrayList<>(volume.stores());
        filling.add(store);
        return volume.withStores(filling, volume.leaving());
    }

    @Test
    void newVolumeHasTheFirstGeneration() throws Exception {
        assertThat(catalog.volume(VOLUME).orElseThrow().generation()).isEqualTo(1);
    }

    @Test
    void changedVolumeIsKeptWithItsGenerationAndItsLeavingStores() throws Exception {
        Volume changed = catalog.changeVolume(VOLUME, volume -> leaving(volume, S2), ChangeRequest.once(5));
        assertThat(changed.generation()).isEqualTo(2);
        assertThat(changed.stores()).containsExactly(S1);
        assertThat(changed.leaving()).containsExactly(S2);
        assertThat(catalog.volume(VOLUME)).contains(changed);
        assertThat(catalog.volumes()).contains(changed);
    }

    @Test
    void leavingStoreIsInUseUntilTheVolumeReleasesIt() throws Exception {
        catalog.changeVolume(VOLUME, volume -> leaving(volume, S2), ChangeRequest.once(5));
        refused(ErrorCode.STORE_IN_USE, () -> catalog.removeStore(S2));
        catalog.changeVolume(VOLUME, volume -> volume.withStores(volume.stores(), List.of()), ChangeRequest.once(6));
        catalog.removeStore(S2);
        assertThat(catalog.stores()).containsExactly(bucket("s1"));
    }

    @Test
    void changeThatNamesAnUnknownStoreChangesNothing() throws Exception {
        Volume before = catalog.volume(VOLUME).orElseThrow();
        refused(
                ErrorCode.NOT_FOUND,
                () -> catalog.changeVolume(VOLUME, volume -> with(volume, S3), ChangeRequest.once(5)));
        assertThat(catalog.volume(VOLUME)).contains(before);
        catalog.putStore(bucket("s3"));
        catalog.changeVolume(VOLUME, volume -> with(volume, S3), ChangeRequest.once(6));
        refused(ErrorCode.STORE_IN_USE, () -> catalog.removeStore(S3));
    }

    @Test
    void changeOfAnUnknownVolumeOrStoreIsRefused() throws Exception {
        refused(
                ErrorCode.VOLUME_NOT_FOUND,
                () -> catalog.changeVolume(new VolumeName("none"), volume -> volume, ChangeRequest.once(5)));
        refused(ErrorCode.NOT_FOUND, () -> catalog.changeStore(S3, store -> store.lost(5), ChangeRequest.once(5)));
    }

    @Test
    void refusedChangeChangesNothing() throws Exception {
        Volume before = catalog.volume(VOLUME).orElseThrow();
        refused(
                ErrorCode.CONFLICT,
                () -> catalog.changeVolume(
                        VOLUME,
                        volume -> {
                            throw new CloudMwException(ErrorCode.CONFLICT, "not this");
                        },
                        ChangeRequest.once(5)));
        assertThat(catalog.volume(VOLUME)).contains(before);
    }

    @Test
    void repeatedCallChangesTheVolumeOnce() throws Exception {
        ChangeRequest request = new ChangeRequest(Optional.of(CallId.issuedAt(7)), 7, () -> 7);
        Volume first = catalog.changeVolume(VOLUME, volume -> leaving(volume, S2), request);
        Volume again = catalog.changeVolume(VOLUME, volume -> leaving(volume, S2), request);
        assertThat(again).isEqualTo(first);
        assertThat(catalog.volume(VOLUME)).contains(first);
    }

    @Test
    void parallelChangesAllTakeEffect() throws Exception {
        List<Callable<Boolean>> changes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            changes.add(() -> {
                catalog.changeVolume(
                        VOLUME, volume -> volume.withStores(volume.stores(), volume.leaving()), ChangeRequest.once(5));
                return true;
            });
        }
        assertThat(atOnce(changes)).isEqualTo(8);
        assertThat(catalog.volume(VOLUME).orElseThrow().generation()).isEqualTo(9);
    }

    @Test
    void lostStoreStaysLost() throws Exception {
        Store lost = catalog.changeStore(S1, store -> store.lost(42), ChangeRequest.once(42));
        assertThat(lost.isLost()).isTrue();
        assertThat(lost.lostAtMillis()).isEqualTo(42);
        assertThat(catalog.stores()).containsExactly(lost, bucket("s2"));
        assertThat(catalog.changeStore(S1, store -> store.lost(77), ChangeRequest.once(77)))
                .isEqualTo(lost);
    }

    @Test
    void openUploadsAreListedUntilTheyAreCommittedOrAbandoned() throws Exception {
        FileVersion committed = put("v:/a", 1, Optional.empty());
        VersionId one = VersionId.random();
        VersionId other = VersionId.random();
        catalog.touch(one, 1);
        catalog.touch(other, 1);
        assertThat(catalog.open("", 10).items()).containsExactlyInAnyOrder(one, other);
        assertThat(catalog.open("", 1).isLast()).isFalse();
        assertThat(catalog.open(catalog.open("", 1).nextToken(), 1).items()).hasSize(1);
        catalog.giveUp(one, 2);
        assertThat(catalog.open("", 10).items()).containsExactly(other);
        assertThat(committed.id()).isNotIn(catalog.open("", 10).items());
    }
}
