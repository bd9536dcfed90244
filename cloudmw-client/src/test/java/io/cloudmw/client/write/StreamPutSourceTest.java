package io.cloudmw.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StreamPutSourceTest {
    private static final int PIECE = SpooledBytes.PIECE_BYTES;

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** A stream whose reads give less than they could, as pipes and sockets do. */
    private static InputStream dribbling(byte[] bytes) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, 100_003));
            }
        };
    }

    private static byte[] bytes(PutSource.Part part) throws CloudMwException {
        ByteBuffer target = ByteBuffer.allocate((int) part.length());
        part.read(0, target);
        return target.array();
    }

    @ParameterizedTest
    @CsvSource({"0, 1000000", "1, 1000000", "3, 1000000", "8, 1000000", "8, 262144", "2, 524288", "2, 1"})
    void chunksHaveTheBytesOfTheStreamWhateverMemoryThereIs(int pieces, int chunk) throws IOException {
        byte[] bytes = random(Math.min(2_500_000, 4 * chunk));
        ByteBudget memory = new ByteBudget((long) pieces * PIECE);
        try (StreamPutSource source = new StreamPutSource(dribbling(bytes), memory)) {
            for (int at = 0; at < bytes.length; at += chunk) {
                try (PutSource.Part part = source.part(new ByteRange(at, chunk))) {
                    assertThat(bytes(part)).isEqualTo(Arrays.copyOfRange(bytes, at, at + (int) part.length()));
                    ByteBuffer middle = ByteBuffer.allocate((int) (part.length() - part.length() / 2));
                    part.read(part.length() / 2, middle);
                    assertThat(middle.array())
                            .isEqualTo(
                                    Arrays.copyOfRange(bytes, at + (int) part.length() / 2, at + (int) part.length()));
                }
            }
            assertThat(source.part(new ByteRange(bytes.length, chunk)).length()).isZero();
            source.checkUnchanged();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void onlyBytesBeyondTheMemoryAreInAFile() throws IOException {
        ByteBudget memory = new ByteBudget(2L * PIECE);
        SpooledBytes small = new SpooledBytes(memory);
        SpooledBytes large = new SpooledBytes(memory);
        fill(small, random(PIECE));
        fill(large, random(3 * PIECE));

        assertThat(small.hasFile()).isFalse();
        assertThat(large.hasFile()).isTrue();
        assertThat(memory.usedBytes()).isEqualTo(2L * PIECE);
        small.close();
        large.close();
        large.close();
        assertThat(memory.usedBytes()).isZero();
        assertThatThrownBy(() -> small.read(0, ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }

    private static void fill(SpooledBytes spool, byte[] bytes) throws IOException {
        InputStream stream = new ByteArrayInputStream(bytes);
        while (spool.readFrom(stream, Long.MAX_VALUE) >= 0) {
            assertThat(spool.length()).isPositive();
        }
        spool.complete();
    }

    @Test
    void failedStreamGivesItsMemoryBack() {
        ByteBudget memory = new ByteBudget(8L * PIECE);
        InputStream broken = new InputStream() {
            private int left = 300_000;

            @Override
            public int read() throws IOException {
                throw new IOException("cable cut");
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (left == 0) {
                    return read();
                }
                int step = Math.min(left, length);
                left -= step;
                return step;
            }
        };
        try (StreamPutSource source = new StreamPutSource(broken, memory)) {
            assertThatThrownBy(() -> source.part(new ByteRange(0, 1_000_000)))
                    .isInstanceOf(CloudMwException.class)
                    .hasMessageContaining("cable cut");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void measuredStreamIsReadRepeatedly() throws IOException {
        byte[] bytes = random(700_000);
        ByteBudget memory = new ByteBudget(PIECE);
        try (StreamPutSource source = new StreamPutSource(dribbling(bytes), memory)) {
            assertThat(source.measure()).isEqualTo(bytes.length);
            for (int i = 0; i < 2; i++) {
                try (PutSource.Part part = source.part(new ByteRange(100_000, 500_000))) {
                    assertThat(bytes(part)).isEqualTo(Arrays.copyOfRange(bytes, 100_000, 600_000));
                }
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }
}
