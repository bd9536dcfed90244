package io.cloudmw.client.handle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class CallerBufferTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(10).position(2);
    private final CallerBuffer read = new CallerBuffer(buffer, 4);

    @Test
    void bytesArePutBehindThePositionWhichMovesAtTheEnd() {
        read.put(2, ByteBuffer.wrap(new byte[] {3, 4}));
        read.put(0, ByteBuffer.wrap(new byte[] {1, 2}));
        assertThat(buffer.position()).isEqualTo(2);
        assertThat(read.complete()).isTrue();
        assertThat(read.giveUp()).isFalse();
        assertThat(buffer.position()).isEqualTo(6);
        assertThat(buffer.array()).containsExactly(0, 0, 1, 2, 3, 4, 0, 0, 0, 0);
    }

    @Test
    void nothingChangesABufferAfterItsReadWasGivenUp() {
        read.put(0, ByteBuffer.wrap(new byte[] {1, 2}));
        assertThat(read.giveUp()).isTrue();
        read.put(2, ByteBuffer.wrap(new byte[] {3, 4}));
        assertThat(read.complete()).isFalse();
        assertThat(buffer.position()).isEqualTo(2);
        assertThat(buffer.array()).containsExactly(0, 0, 1, 2, 0, 0, 0, 0, 0, 0);
    }
}
