package io.cloudmw.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.lab.torture.model.Content;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ExpectedContentTest {
    private static final long SEED = 7;
    private static final int SIZE = 4096;
    private static final int OFFSET = 100;
    private static final int LENGTH = 2000;

    private final Content content = new Content(SEED, 3, SIZE);
    private final byte[] wanted = content.bytes(OFFSET, LENGTH);
    private final ExpectedContent expected = new ExpectedContent(SEED, content, OFFSET, LENGTH);

    private void write(byte[] bytes, int from, int to) {
        int unused = expected.write(ByteBuffer.wrap(bytes, from, to - from));
    }

    @Test
    void contentInPiecesIsAccepted() {
        for (int at = 0; at < LENGTH; at += 400) {
            assertThat(expected.difference()).hasValue(at + " bytes instead of 2000");
            write(wanted, at, at + 400);
        }
        assertThat(expected.difference()).isEmpty();
    }

    /** The first half of each cell of 16 bytes is the same in all of a write's cells; the second tells its place. */
    @Test
    void repeatedBytesAreFoundWhereTheyBegin() {
        write(wanted, 0, 512);
        write(wanted, 496, LENGTH - 16);
        assertThat(expected.difference())
                .hasValueSatisfying(what -> assertThat(what).contains("offset 616"));
    }

    @Test
    void missingBytesAreFound() {
        write(wanted, 0, 512);
        write(wanted, 528, LENGTH);
        assertThat(expected.difference())
                .hasValueSatisfying(what -> assertThat(what).contains("offset 616"));
    }

    @Test
    void bytesAfterTheEndAreFound() {
        write(wanted, 0, LENGTH);
        write(wanted, LENGTH - 1, LENGTH);
        assertThat(expected.difference())
                .hasValueSatisfying(what -> assertThat(what).contains("more bytes"));
    }

    @Test
    void bytesOfAnotherWriteAreAttributed() {
        byte[] other = new Content(SEED, 9, SIZE).bytes(OFFSET, LENGTH);
        write(other, 0, LENGTH);
        assertThat(expected.difference())
                .hasValueSatisfying(what -> assertThat(what).contains("offset 100", "of write 9"));
        assertThat(Arrays.equals(other, wanted)).isFalse();
    }
}
