package io.cloudmw.client.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cloudmw.client.write.PutSource;
import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackSourceTest {
    private static final int LEAF = 4096;

    @TempDir
    Path here;

    private final Random random = new Random(7);
    private final List<SmallPut> puts = new ArrayList<>();

    @Test
    void bytesOfAllFilesFollowEachOther() throws IOException {
        byte[] first = file("first", 10_000);
        byte[] second = file("second", 1);
        PackLayout layout = PackLayout.of(puts, LEAF);
        PackSource source = new PackSource(puts, layout, LEAF);

        byte[] all = read(source, layout);

        assertThat(all).startsWith(first).endsWith(second).hasSize(10_001);
        assertThat(source.digests(0)).contains(ChunkDigester.digest(ByteBuffer.wrap(first), LEAF));
        assertThat(source.digests(1)).contains(ChunkDigester.digest(ByteBuffer.wrap(second), LEAF));
    }

    @Test
    void aFileThatIsGoneOrLongerThanBeforeLeavesZerosAndFailsAlone() throws IOException {
        file("gone", 5000);
        file("longer", 300);
        byte[] good = file("good", 700);
        Files.delete(here.resolve("gone"));
        Files.write(here.resolve("longer"), new byte[301]);
        PackLayout layout = PackLayout.of(puts, LEAF);
        PackSource source = new PackSource(puts, layout, LEAF);

        byte[] all = read(source, layout);

        assertThat(all).startsWith(new byte[5300]).endsWith(good).hasSize(6000);
        assertThat(source.failure(0))
                .hasValueSatisfying(e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_IO));
        assertThat(source.failure(1)).hasValueSatisfying(e -> assertThat(e).hasMessageContaining("instead of 300"));
        assertThat(source.failure(2)).isEmpty();
        assertThat(source.digests(0)).isEmpty();
        // A further try sends the same bytes, although the file is back.
        Files.write(here.resolve("gone"), new byte[] {1});
        assertThat(read(source, layout)).isEqualTo(all);
    }

    @Test
    void aFileThatChangesBetweenTwoTriesFailsThePack() throws IOException {
        file("changing", 100);
        file("other", 100);
        PackLayout layout = PackLayout.of(puts, LEAF);
        PackSource source = new PackSource(puts, layout, LEAF);
        byte[] unused = read(source, layout);
        Files.write(here.resolve("changing"), new byte[100]);
        assertThatExceptionOfType(CloudMwException.class)
                .isThrownBy(() -> read(source, layout))
                .withMessageContaining("changed while it was read");
    }

    private byte[] file(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        Path path = Files.write(here.resolve(name), content);
        puts.add(PutSamples.measured(path, bytes));
        return content;
    }

    /** Reads the pack in leaves, as an upload does. */
    private static byte[] read(PackSource source, PackLayout layout) throws CloudMwException {
        ByteBuffer all = ByteBuffer.allocate((int) layout.bytes());
        PutSource.Part part = source.part(new ByteRange(0, layout.bytes()));
        while (all.hasRemaining()) {
            ByteBuffer leaf = all.slice(all.position(), Math.min(LEAF, all.remaining()));
            part.read(all.position(), leaf);
            assertThat(leaf.hasRemaining()).isFalse();
            all.position(all.position() + leaf.limit());
        }
        return all.array();
    }
}
