package io.cloudmw.core.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.volume.Chunking;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ChunkCutterTest {
    private static final long CHUNK = 1 << 20;

    @Test
    void anEmptyFileHasNoChunks() {
        assertThat(ChunkCutter.of(0, new Chunking.BySize(CHUNK)).count()).isZero();
        assertThat(ChunkCutter.of(0, new Chunking.ByCount(5)).count()).isZero();
    }

    @Test
    void chunksCoverTheFileWithoutGaps() {
        for (long size : new long[] {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 7 * CHUNK, Long.MAX_VALUE / (1 << 20)}) {
            assertCovers(size, new Chunking.BySize(CHUNK), "size " + size);
            assertCovers(size, new Chunking.ByCount(3), "size " + size);
        }
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            long size = random.nextLong() & ((1L << (1 + random.nextInt(33))) - 1);
            Chunking chunking = random.nextBoolean()
                    ? new Chunking.BySize((1L << 20) + random.nextInt(1 << 28))
                    : new Chunking.ByCount(1 + random.nextInt(2000));
            assertCovers(size, chunking, "seed " + seed);
        }
    }

    @Test
    void everyByteIsFoundInItsChunk() {
        ChunkCutter cutter = new ChunkCutter(10 * CHUNK + 5, CHUNK);
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            long offset = (long) (random.nextDouble() * cutter.fileSizeBytes());
            assertThat(cutter.range(cutter.indexOf(offset)).contains(new ByteRange(offset, 1)))
                    .isTrue();
        }
    }

    @Test
    void offsetsBeyondTheFileAreRefused() {
        ChunkCutter cutter = new ChunkCutter(10, 4);
        assertThatThrownBy(() -> cutter.range(3)).hasMessage("index: 3 (expected: 0..2)");
        assertThatThrownBy(() -> cutter.indexOf(10)).hasMessage("offset: 10 (expected: 0..9)");
        assertThatThrownBy(() -> new ChunkCutter(-1, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ChunkCutter(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertCovers(long size, Chunking chunking, String why) {
        ChunkCutter cutter = ChunkCutter.of(size, chunking);
        long count = Math.min(cutter.count(), 3000);
        long next = 0;
        for (long i = 0; i < count; i++) {
            ByteRange range = cutter.range(i);
            assertThat(range.offset()).as(why).isEqualTo(next);
            assertThat(range.length()).as(why).isBetween(1L, Chunking.MAX_CHUNK_BYTES);
            next = range.end();
        }
        if (cutter.count() > 0) {
            assertThat(cutter.range(cutter.count() - 1).end()).as(why).isEqualTo(size);
        }
        if (count == cutter.count()) {
            assertThat(next).as(why).isEqualTo(size);
        }
    }
}
