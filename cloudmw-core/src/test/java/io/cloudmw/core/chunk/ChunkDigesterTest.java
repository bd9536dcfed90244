package io.cloudmw.core.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.model.chunk.LeafDigests;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class ChunkDigesterTest {
    private static final int LEAF = Leaves.MIN_SIZE_BYTES;

    @Test
    void leavesHaveTheirOwnDigestsHoweverTheBytesArrive() throws Exception {
        for (long seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            byte[] chunk =
                    new byte[new int[] {0, 1, LEAF - 1, LEAF, LEAF + 1, random.nextInt(9 * LEAF)}[(int) seed % 6]];
            random.nextBytes(chunk);
            ChunkDigester digester = new ChunkDigester(chunk.length, LEAF);
            for (int at = 0; at < chunk.length; ) {
                int step = Math.min(chunk.length - at, random.nextInt(2 * LEAF));
                digester.update(chunk, at, step);
                at += step;
            }
            assertDigests(digester.finish(), chunk, "seed " + seed);
        }
    }

    @Test
    void digestingAWholeBufferLeavesItAsItIs() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(3 * LEAF + 1);
        LeafDigests digests = ChunkDigester.digest(chunk, LEAF);

        assertThat(digests.count()).isEqualTo(4);
        assertThat(chunk.remaining()).isEqualTo(3 * LEAF + 1);
    }

    @Test
    void tooFewOrTooManyBytesAreACallersMistake() {
        ChunkDigester digester = new ChunkDigester(10, LEAF);
        digester.update(new byte[9], 0, 9);
        assertThatThrownBy(digester::finish).hasMessage("chunk: 9 bytes digested (expected: 10)");
        assertThatThrownBy(() -> digester.update(new byte[2], 0, 2)).isInstanceOf(IllegalStateException.class);
    }

    private static void assertDigests(LeafDigests digests, byte[] chunk, String why) throws Exception {
        assertThat(digests.count()).as(why).isEqualTo((chunk.length + LEAF - 1) / LEAF);
        for (int leaf = 0; leaf < digests.count(); leaf++) {
            byte[] bytes = Arrays.copyOfRange(chunk, leaf * LEAF, Math.min(chunk.length, (leaf + 1) * LEAF));
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            assertThat(digests.crc32c()[leaf]).as(why).isEqualTo((int) crc.getValue());
            byte[] sha = MessageDigest.getInstance("SHA-256").digest(bytes);
            assertThat(digests.matches(leaf, sha)).as(why).isTrue();
        }
    }
}
