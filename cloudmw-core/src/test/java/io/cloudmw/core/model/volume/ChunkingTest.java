package io.cloudmw.core.model.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChunkingTest {
    private static final long GIB = 1L << 30;

    @Test
    void aChunkHasNoMoreLeavesThanASegmentHolds() {
        assertThat(new Chunking.BySize(64 << 20, 16 << 10).chunkSizeBytes(GIB)).isEqualTo(64 << 20);
        assertThatThrownBy(() -> new Chunking.BySize((64 << 20) + 1, 16 << 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16384");
        assertThat(new Chunking.ByCount(2, 16 << 10).chunkSizeBytes(GIB)).isEqualTo(64 << 20);
        assertThat(new Chunking.ByCount(2).chunkSizeBytes(GIB)).isEqualTo(GIB / 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2048, 4097, 24 << 10, 512 << 10, Integer.MIN_VALUE})
    void leavesArePowersOfTwoWithinBounds(int bytes) {
        assertThatThrownBy(() -> new Chunking.ByCount(1, bytes)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Chunking.BySize(1 << 20, bytes)).isInstanceOf(IllegalArgumentException.class);
    }
}
