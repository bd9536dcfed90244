package io.cloudmw.lab.torture.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ContentTest {
    private static final long SEED = 7;

    @Test
    void aRangeIsAPieceOfTheWhole() {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] whole = new Content(SEED, 3, 1000).bytes(0, 1000);
        for (int i = 0; i < 200; i++) {
            int from = random.nextInt(1000);
            int to = random.nextInt(from, 1001);
            byte[] range = Arrays.copyOfRange(whole, from, to);
            assertThat(new Content(SEED, 3, 1000).bytes(from, to - from)).isEqualTo(range);
            assertThat(new Content(SEED, 3, 1000).matches(from, range)).isTrue();
        }
    }

    @Test
    void noBitMayBeAnother() {
        Content content = new Content(SEED, 3, 100);
        for (int bit = 0; bit < 800; bit++) {
            byte[] bytes = content.bytes(0, 100);
            bytes[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(content.matches(0, bytes)).isFalse();
        }
    }

    /** Compares the content with an array that gets the same changes. */
    @Test
    void overwrittenPartsHaveTheNewBytes() {
        SplittableRandom random = new SplittableRandom(SEED);
        Content content = new Content(SEED, 0, 300);
        byte[] array = content.bytes(0, 300);
        for (int write = 1; write < 300; write++) {
            if (random.nextInt(4) == 0) {
                array = Arrays.copyOf(array, random.nextInt(array.length + 1));
                content = content.cutOff(array.length);
            } else {
                int from = random.nextInt(array.length + 1);
                int length = random.nextInt(120);
                byte[] written = new Content(SEED, write, 1000).bytes(from, length);
                array = Arrays.copyOf(array, Math.max(array.length, from + length));
                System.arraycopy(written, 0, array, from, length);
                content = content.written(write, from, length);
            }
            assertThat(content.sizeBytes()).isEqualTo(array.length);
            assertThat(content.bytes(0, array.length)).isEqualTo(array);
            int at = random.nextInt(array.length + 1);
            assertThat(content.matches(at, Arrays.copyOfRange(array, at, array.length)))
                    .isTrue();
            assertThat(content.matches(at, Arrays.copyOfRange(array, at, array.length + 1)))
                    .isFalse();
        }
    }

    @Test
    void writesHaveNoCellInCommon() {
        byte[] one = new Content(SEED, 3, 4096).bytes(0, 4096);
        byte[] other = new Content(SEED, 4, 4096).bytes(0, 4096);
        for (int i = 0; i < 4096; i += Content.CELL) {
            assertThat(Arrays.copyOfRange(one, i, i + Content.CELL))
                    .isNotEqualTo(Arrays.copyOfRange(other, i, i + Content.CELL));
        }
    }

    @Test
    void anyByteIsAttributed() {
        byte[] mixture = new byte[160];
        System.arraycopy(new Content(SEED, 3, 160).bytes(0, 64), 0, mixture, 0, 64);
        System.arraycopy(new Content(SEED, 12, 160).bytes(64, 32), 0, mixture, 64, 32);
        System.arraycopy(new Content(SEED, 3, 160).bytes(0, 32), 0, mixture, 96, 32);

        assertThat(Content.attribution(SEED, 0, mixture, 9))
                .isEqualTo(
                        "[0, 64) of write 3; [64, 96) of write 12; [96, 128) of write 3 but from -96 bytes further on;"
                                + " [128, 160) of no write");
    }
}
