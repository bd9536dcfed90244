package io.cloudmw.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.proto.v1.ChangeVolumeRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class VolumeWireTest {
    private static final VolumeName NAME = new VolumeName("v");

    @Test
    void aChangeArrivesAsItWasSent() throws Exception {
        VolumeChange all = VolumeChange.of(NAME)
                .atGeneration(4)
                .addStore(new StoreId("a"))
                .removeStore(new StoreId("b"))
                .replicas(3)
                .writeQuorum(2)
                .chunkSizeBytes(1 << 20)
                .leafSizeBytes(4096)
                .mode(Mode.KN)
                .target(Optional.of(ReadTarget.parse("p99 of 64MiB under 900ms")))
                .peers(false)
                .build();
        VolumeChange few =
                VolumeChange.of(NAME).chunks(7).target(Optional.empty()).build();
        for (VolumeChange change : List.of(all, few, VolumeChange.of(NAME).build())) {
            assertThat(VolumeWire.change(VolumeWire.change(change).build())).isEqualTo(change);
        }
    }

    @Test
    void aStoreThatJoinsAndLeavesIsRefused() {
        ChangeVolumeRequest request = ChangeVolumeRequest.newBuilder()
                .setName("v")
                .addAddedStoreIds("a")
                .addRemovedStoreIds("a")
                .build();
        assertThatThrownBy(() -> VolumeWire.change(request)).isInstanceOf(CloudMwException.class);
    }

    @Test
    void aVolumeKeepsItsRevision() throws Exception {
        Volume volume = new Volume(
                        NAME, new Chunking.ByCount(1), 1, List.of(new StoreId("a")), 1, Mode.ROUNDS, false, 7)
                .withStores(List.of(new StoreId("b")), List.of(new StoreId("a")));
        assertThat(FromWire.volume(ToWire.volume(volume))).isEqualTo(volume);
    }

    @Test
    void aVolumeOfAnOlderCatalogHasTheFirstGeneration() throws Exception {
        Volume volume =
                new Volume(NAME, new Chunking.ByCount(1), 1, List.of(new StoreId("a")), 1, Mode.ROUNDS, false, 7);
        assertThat(FromWire.volume(
                        ToWire.volume(volume).toBuilder().clearGeneration().build()))
                .isEqualTo(volume);
    }
}
