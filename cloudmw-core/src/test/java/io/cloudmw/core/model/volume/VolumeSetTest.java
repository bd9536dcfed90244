package io.cloudmw.core.model.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.VolumeName;
import org.junit.jupiter.api.Test;

final class VolumeSetTest {
    private static final VolumeName A = new VolumeName("a");

    @Test
    void setReadsBackAsWritten() {
        assertThat(VolumeSet.parse("b, a").toString()).isEqualTo("a,b");
        assertThat(VolumeSet.parse("")).isEqualTo(VolumeSet.NONE);
        assertThat(VolumeSet.parse("*")).isEqualTo(VolumeSet.ALL);
        assertThat(VolumeSet.of(VolumeSet.ALL.words())).isEqualTo(VolumeSet.ALL);
    }

    @Test
    void setContainsItsVolumesOrAllVolumes() {
        assertThat(VolumeSet.parse("a,b").contains(A)).isTrue();
        assertThat(VolumeSet.parse("b").contains(A)).isFalse();
        assertThat(VolumeSet.NONE.contains(A)).isFalse();
        assertThat(VolumeSet.ALL.contains(A)).isTrue();
    }

    @Test
    void wordsThatAreNoNamesAreRefused() {
        assertThatThrownBy(() -> VolumeSet.parse("a,,b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> VolumeSet.parse("*,a")).isInstanceOf(IllegalArgumentException.class);
    }
}
