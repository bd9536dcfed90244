package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of switches. Helpers 1 and 2 have the disks; those from 3 on are switches and serve the disks' files to many
 * clients.
 */
final class SwitchIT {
    private static final long MIB = 1 << 20;
    /** The size of the blocks that are assigned to switches. */
    private static final long BLOCK = 4 * MIB;

    private static final long SIZE = 48 * MIB + 12_345;
    private static final int CLIENTS = 8;
    private static final double ONCE = 1.02;
    private static final String READ = "cloudmw_store_read_bytes_total";

    @TempDir
    private Path directory;

    private final List<CloudMw> clients = new ArrayList<>();

    @AfterEach
    void closeClients() {
        clients.forEach(CloudMw::close);
    }

    private Fleet fleet(int switches, String throttle, String... processes) throws IOException {
        Fleet fleet = Fleet.hostedDisks(directory, 2, throttle, processes);
        fleet.startHelpers(
                3,
                2 + switches,
                i -> Map.of(
                        "helper.switch.volumes", "shared",
                        "helper.cache.memory", "16MiB",
                        "helper.cache.disk.dir", cache(i).toString()));
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(CloudMw.connect(fleet.readingOnce()));
        }
        return fleet;
    }

    private Path cache(int helper) {
        return directory.resolve("cache-" + helper);
    }

    private Path put(Fleet fleet, FilePath file) throws IOException {
        return put(fleet, file, SIZE);
    }

    private Path put(Fleet fleet, FilePath file, long size) throws IOException {
        Path source = fleet.file("source", size);
        fleet.put(source, file);
        return source;
    }

    private static FilePath file(Fleet fleet) {
        return new FilePath(fleet.volume("shared", new Chunking.BySize(16 * MIB), 2, Fleet.disks(1, 2)), "/f");
    }

    /** Starts reads by all clients at once. */
    private List<CompletableFuture<GetReceipt>> getAll(FilePath file) {
        return IntStream.range(0, CLIENTS)
                .mapToObj(i -> clients.get(i)
                        .files()
                        .get(file, target(i), GetOptions.defaults().withDurable(false)))
                .toList();
    }

    private Path target(int client) {
        return directory.resolve("out-" + client);
    }

    private void assertAllGot(Path source) throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(Files.mismatch(source, target(i))).as("client " + i).isEqualTo(-1);
        }
    }

    @Test
    void concurrentReadsOfTheSameBytesReadTheStoresOnce() throws Exception {
        try (Fleet fleet = fleet(1, "")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            double before = fleet.metricOfAll(2, READ);
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) SIZE, ONCE * SIZE);
            assertThat(fleet.metric(3, "cloudmw_cache_served_bytes_total"))
                    .isGreaterThanOrEqualTo(1.0 * CLIENTS * SIZE);
        }
    }

    @Test
    void severalSwitchesShareTheBlocksOfAFileAndReadItOnceTogether() throws Exception {
        long size = 32 * BLOCK; // two sections of the table of blocks, each shared evenly
        try (Fleet fleet = fleet(2, "")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file, size);
            double before = fleet.metricOfAll(2, READ);
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) size, ONCE * size);
            for (int i = 3; i <= 4; i++) {
                assertThat(fleet.metric(i, "cloudmw_cache_fetched_bytes_total")).isBetween(0.45 * size, 0.55 * size);
            }
        }
    }

    @Test
    void readsSurviveAKilledSwitch() throws Exception {
        try (Fleet fleet = fleet(2, "8MiB/s", "helper-3")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            List<CompletableFuture<GetReceipt>> gets = getAll(file);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> fleet.metric(3, "cloudmw_cache_served_bytes_total") > 2 * MIB);
            fleet.helper(3).kill();
            gets.forEach(CompletableFuture::join);
            assertAllGot(source);
        }
    }

    /**
     * Both switches have cached their blocks. While a reader waits for blocks of the dead switch, the other switch holds
     * later blocks for that reader.
     */
    @Test
    void streamOfCachedBlocksSurvivesAKilledSwitch() throws Exception {
        try (Fleet fleet = fleet(2, "", "helper-3")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            getAll(file).forEach(CompletableFuture::join);
            CountDownLatch half = new CountDownLatch(CLIENTS);
            CountDownLatch killed = new CountDownLatch(1);
            List<Hashed> targets = new ArrayList<>();
            List<CompletableFuture<GetReceipt>> reads = new ArrayList<>();
            for (CloudMw client : clients) {
                Hashed target = new Hashed(SIZE / 2, half, killed);
                targets.add(target);
                reads.add(client.files().read(file, target, GetOptions.defaults()));
            }
            assertThat(half.await(1, TimeUnit.MINUTES)).isTrue();
            fleet.helper(3).kill();
            killed.countDown();
            reads.forEach(CompletableFuture::join);
            byte[] expected = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(source));
            assertThat(targets)
                    .allSatisfy(target -> assertThat(target.sha256.digest()).isEqualTo(expected));
        }
    }

    /** A target that blocks at an offset until it is released, and computes a digest. */
    private static final class Hashed implements WritableByteChannel {
        final MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        private final long stop;
        private final CountDownLatch there;
        private final CountDownLatch mayGoOn;
        private long taken;

        Hashed(long stop, CountDownLatch there, CountDownLatch mayGoOn) throws NoSuchAlgorithmException {
            this.stop = stop;
            this.there = there;
            this.mayGoOn = mayGoOn;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            int length = bytes.remaining();
            if (taken < stop && taken + length >= stop) {
                there.countDown();
                try {
                    mayGoOn.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            sha256.update(bytes);
            taken += length;
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // There is no resource to close.
        }
    }

    @Test
    void restartedSwitchServesFromItsDiskButNoDamagedLeaf() throws Exception {
        try (Fleet fleet = fleet(1, "", "helper-3")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            fleet.get(file, fleet.target("first"));
            await().atMost(Duration.ofMinutes(1)).until(() -> leaves().size() == (SIZE + 262_143) / 262_144);
            fleet.helper(3).kill();
            double before = fleet.metricOfAll(2, READ);
            fleet.restart("helper-3");
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ)).isEqualTo(before);

            fleet.helper(3).kill();
            Path damaged = leaves().get(11);
            byte[] leaf = Files.readAllBytes(damaged);
            leaf[1000] ^= 4;
            Files.write(damaged, leaf);
            fleet.restart("helper-3");
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metric(3, "cloudmw_cache_damaged_total")).isEqualTo(1);
        }
    }

    /**
     * The switch sends blocks from its disk without verifying them again, so the reader detects the corruption and
     * reports it.
     */
    @Test
    void corruptBlockOnASwitchsDiskIsFetchedAgainAndReachesNoReader() throws Exception {
        try (Fleet fleet = fleet(1, "")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            fleet.get(file, fleet.target("first"));
            await().atMost(Duration.ofMinutes(1)).until(() -> leaves().size() == (SIZE + 262_143) / 262_144);
            double before = fleet.metricOfAll(2, READ);
            List<Path> leaves = leaves();
            for (int i = 0; i < leaves.size(); i += 5) {
                byte[] leaf = Files.readAllBytes(leaves.get(i));
                leaf[1000] ^= 4;
                Files.write(leaves.get(i), leaf);
            }
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ)).isGreaterThan(before);
        }
    }

    private List<Path> leaves() throws IOException {
        try (var files = Files.walk(cache(3).resolve("leaves"))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void readWithAnExplicitModeBypassesTheSwitch() throws Exception {
        try (Fleet fleet = fleet(1, "")) {
            FilePath file = file(fleet);
            Path source = put(fleet, file);
            GetReceipt receipt = fleet.client()
                    .files()
                    .get(file, fleet.target("raced"), GetOptions.defaults().withMode(Mode.ROUNDS))
                    .join();
            assertThat(Files.mismatch(source, fleet.target("raced"))).isEqualTo(-1);
            assertThat(receipt.winners().toString()).doesNotContain("helper-3");
            assertThat(fleet.metric(3, "cloudmw_cache_served_bytes_total")).isZero();
        }
    }
}
