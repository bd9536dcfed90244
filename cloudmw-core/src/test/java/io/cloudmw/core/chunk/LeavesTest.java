package io.cloudmw.core.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.ByteRange;
import org.junit.jupiter.api.Test;

final class LeavesTest {
    @Test
    void aRangeGrowsToWholeLeavesWithinTheChunk() {
        assertThat(Leaves.covering(new ByteRange(5000, 1), 10_000, 4096)).isEqualTo(new ByteRange(4096, 4096));
        assertThat(Leaves.covering(new ByteRange(4095, 2), 10_000, 4096)).isEqualTo(new ByteRange(0, 8192));
        assertThat(Leaves.covering(new ByteRange(9000, 1000), 10_000, 4096)).isEqualTo(new ByteRange(8192, 1808));
        assertThat(Leaves.covering(new ByteRange(5000, 0), 10_000, 4096)).isEqualTo(new ByteRange(4096, 0));
        assertThatThrownBy(() -> Leaves.covering(new ByteRange(9000, 1001), 10_000, 4096))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSliceHasTheDigestsOfItsLeaves() {
        int[] chunk = {10, 11, 12};
        assertThat(Leaves.slice(chunk, new ByteRange(0, 10_000), 4096)).containsExactly(10, 11, 12);
        assertThat(Leaves.slice(chunk, new ByteRange(4096, 4096), 4096)).containsExactly(11);
        assertThat(Leaves.slice(chunk, new ByteRange(8192, 1808), 4096)).containsExactly(12);
        assertThat(Leaves.slice(chunk, new ByteRange(4096, 0), 4096)).isEmpty();
    }

    @Test
    void absurdLeafSizesAreRefused() {
        assertThatThrownBy(() -> Leaves.checkSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Leaves.checkSize(Leaves.MAX_SIZE_BYTES + 1))
                .hasMessage("leafSizeBytes: 16777217 (expected: 4096..16777216)");
    }
}
