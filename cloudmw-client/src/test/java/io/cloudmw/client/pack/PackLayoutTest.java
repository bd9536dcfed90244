package io.cloudmw.client.pack;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.ByteRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PackLayoutTest {
    private static final int LEAF = 4096;

    @Test
    void smallFilesFollowEachOtherWithoutAGap() {
        PackLayout layout = PackLayout.of(puts(100, 0, 200, 5000), LEAF);
        assertThat(layout.range(0)).isEqualTo(new ByteRange(0, 100));
        assertThat(layout.range(2)).isEqualTo(new ByteRange(100, 200));
        assertThat(layout.range(3)).isEqualTo(new ByteRange(300, 5000));
        assertThat(layout.bytes()).isEqualTo(5300);
    }

    @Test
    void filesOfWholeLeavesBeginWithALeafWhereThatCostsLittle() {
        PackLayout layout = PackLayout.of(puts(LEAF - 1, 16 * LEAF, 16 * LEAF, LEAF), LEAF);
        assertThat(layout.range(1).offset()).isEqualTo(LEAF);
        assertThat(layout.range(2).offset()).isEqualTo(17 * LEAF);
        assertThat(layout.range(3).offset()).isEqualTo(33 * LEAF);

        PackLayout dear = PackLayout.of(puts(1, 8 * LEAF), LEAF);
        assertThat(dear.range(1).offset()).isEqualTo(1);
    }

    @Test
    void lengthOfAPackThatGrowsFileByFileIsThatOfItsLayout() {
        Random random = new Random(5);
        long[] sizes = new long[300];
        long bytes = 0;
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = random.nextInt(4) == 0 ? 0 : random.nextInt(40 * LEAF);
            bytes = PackLayout.bytesWith(bytes, sizes[i], LEAF);
            assertThat(PackLayout.of(puts(Arrays.copyOf(sizes, i + 1)), LEAF).bytes())
                    .isEqualTo(bytes);
        }
        assertThat(bytes).as("with padding").isGreaterThan(LongStream.of(sizes).sum());
    }

    @Test
    void filesOfARangeAreThoseWithBytesInIt() {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            long[] sizes = LongStream.range(0, 1 + random.nextInt(20))
                    .map(i -> random.nextInt(4) == 0 ? 0 : random.nextInt(3 * LEAF))
                    .toArray();
            PackLayout layout = PackLayout.of(puts(sizes), LEAF);
            long offset = random.nextInt((int) layout.bytes() + 1);
            ByteRange range = new ByteRange(offset, 1 + random.nextInt(2 * LEAF));
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < sizes.length; i++) {
                ByteRange place = layout.range(i);
                if (!place.isEmpty() && place.offset() < range.end() && place.end() > range.offset()) {
                    expected.add(i);
                }
            }
            assertThat(layout.files(range)).isEqualTo(expected);
        }
    }

    private static List<SmallPut> puts(long... sizes) {
        return LongStream.of(sizes)
                .mapToObj(size -> PutSamples.measured(Path.of("unused"), size))
                .toList();
    }
}
