package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of random reads from open files, through switches. Helpers 3 and 4 are the switches, and helper 3 is a process.
 */
final class RemoteFileIT {
    private static final int MIB = 1 << 20;
    private static final int SIZE = 24 * MIB + 4321;

    @TempDir
    private Path directory;

    private Fleet fleet() throws IOException {
        Fleet fleet = Fleet.hostedDisks(directory, 2, "", "helper-3");
        fleet.startHelpers(
                3,
                4,
                i -> Map.of(
                        "helper.switch.volumes", "shared",
                        "helper.cache.memory", "4MiB",
                        "helper.cache.disk.dir", directory.resolve("cache-" + i).toString()));
        return fleet;
    }

    private static FilePath file(Fleet fleet) {
        return new FilePath(fleet.volume("shared", new Chunking.BySize(8 * MIB, 16 << 10), 2, Fleet.disks(1, 2)), "/f");
    }

    /** Compares random reads, several at a time and mostly small, with the local copy. */
    private static void assertReadsLike(Path copy, RemoteFile file, SplittableRandom random, int reads)
            throws Exception {
        record Read(long position, ByteBuffer target, CompletableFuture<Integer> done) {}
        try (RandomAccessFile local = new RandomAccessFile(copy.toFile(), "r")) {
            for (int round = 0; round < reads / 8; round++) {
                List<Read> some = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    long position = random.nextLong(SIZE);
                    ByteBuffer target = ByteBuffer.allocate(1 + random.nextInt(i == 0 ? 3 * MIB : 8192));
                    some.add(new Read(position, target, file.read(target, position)));
                }
                for (Read read : some) {
                    int bytes = read.done().get(60, TimeUnit.SECONDS);
                    byte[] expected =
                            new byte[Math.toIntExact(Math.min(read.target().capacity(), SIZE - read.position()))];
                    local.seek(read.position());
                    local.readFully(expected);
                    assertThat(bytes).isEqualTo(expected.length);
                    assertThat(read.target().flip()).isEqualTo(ByteBuffer.wrap(expected));
                }
            }
        }
    }

    @Test
    void randomReadsEqualThoseOfALocalFileWhenSwitchesFailAndThePathChanges() throws Exception {
        try (Fleet fleet = fleet();
                CloudMw client = CloudMw.connect(CloudMwOptions.of(fleet.coordinatorAddress()))) {
            FilePath path = file(fleet);
            Path source = fleet.file("source", SIZE);
            fleet.put(source, path);
            SplittableRandom random = new SplittableRandom(11);
            try (RemoteFile file = client.files().open(path).get(60, TimeUnit.SECONDS)) {
                assertReadsLike(source, file, random, 160);
                assertThat(fleet.metric(3, "cloudmw_cache_served_bytes_total")).isPositive();
                assertThat(fleet.metric(4, "cloudmw_cache_served_bytes_total")).isPositive();

                fleet.helper(3).kill();
                assertReadsLike(source, file, random, 160);

                Path replacement = fleet.file("replacement", MIB);
                fleet.put(replacement, path);
                assertReadsLike(source, file, random, 80);
                try (RemoteFile current = client.files().open(path).get(60, TimeUnit.SECONDS)) {
                    assertThat(current.version().sizeBytes()).isEqualTo(MIB);
                }
                client.files().remove(path).get(60, TimeUnit.SECONDS);
                assertReadsLike(source, file, random, 80);
            }
        }
    }
}
