package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of every mode on processes: reads give the same bytes when a helper or a replica fails. */
final class ModesIT {
    private static final int MIB = 1 << 20;
    private static final int SIZE = 12 * MIB;
    private static final String SLOW = "4MiB/s";
    private static final StoreId DAMAGED = new StoreId("disk-1");

    @TempDir
    Path directory;

    @Test
    void everyModeGivesTheSameBytesAsAFileAndAsAStream() throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, "")) {
            Path source = fleet.file("source", SIZE);
            FilePath file = put(fleet, source);
            for (Mode mode : Mode.values()) {
                Path back = directory.resolve("back-" + mode.label());
                GetReceipt receipt = fleet.client()
                        .files()
                        .get(file, back, GetOptions.defaults().withMode(mode))
                        .join();

                assertThat(receipt.bytes()).as(mode.label()).isEqualTo(SIZE);
                assertThat(back).hasSameBinaryContentAs(source);
                Path stream = directory.resolve("stream-" + mode.label());
                try (FileChannel out = FileChannel.open(stream, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    fleet.client()
                            .files()
                            .read(file, out, GetOptions.defaults().withMode(mode))
                            .join();
                }
                assertThat(stream).hasSameBinaryContentAs(source);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"HEDGED", "COOPERATIVE"})
    void readSurvivesAKilledHelper(Mode mode) throws IOException, InterruptedException {
        assertSurvivesThatAHelperIsKilled(mode);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"HEDGED", "COOPERATIVE"})
    @Tag("full")
    void readSurvivesAKilledHelperInTheOtherModes(Mode mode) throws IOException, InterruptedException {
        assertSurvivesThatAHelperIsKilled(mode);
    }

    private void assertSurvivesThatAHelperIsKilled(Mode mode) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, SLOW, "helper-1")) {
            Path source = fleet.file("source", SIZE);
            FilePath file = put(fleet, source);

            CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file, mode);
            fleet.helper(1).kill();

            assertThat(get.join().bytes()).isEqualTo(SIZE);
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"HEDGED", "COOPERATIVE"})
    void readFinishesWithoutAPausedHelper(Mode mode) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, SLOW, "helper-1")) {
            Path source = fleet.file("source", SIZE);
            FilePath file = put(fleet, source);

            CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file, mode);
            fleet.helper(1).pause();
            try {
                // Helpers that read the paused helper's disk through it must not wait until they give up the connection
                // after 30 s.
                assertThat(get).succeedsWithin(25, TimeUnit.SECONDS);
                assertThat(get.join().bytes()).isEqualTo(SIZE);
            } finally {
                fleet.helper(1).resume();
            }
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    /** Every helper has started on its own disk before one finishes, so at least one chunk's bad replica is read. */
    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"ROUNDS", "COOPERATIVE"})
    void corruptReplicaIsReportedOnceAndAvoidedFromThenOn(Mode mode) throws IOException {
        assertCorruptReplicaIsReportedOnce(mode);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"ROUNDS", "COOPERATIVE"})
    @Tag("full")
    void corruptReplicaIsReportedOnceInTheOtherModes(Mode mode) throws IOException {
        assertCorruptReplicaIsReportedOnce(mode);
    }

    private void assertCorruptReplicaIsReportedOnce(Mode mode) throws IOException {
        // A bad copy counts as missing until repair makes it again, so repair is disabled here.
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, SLOW, Fleet.NO_REPAIR)) {
            Path source = fleet.file("source", SIZE);
            FilePath file = put(fleet, source);
            fleet.awaitTheFirstLookOfRepair();
            corrupt(fleet.disk(1));

            GetReceipt receipt = get(fleet, file, GetOptions.defaults().withMode(mode));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(receipt.faults()).isNotEmpty().allSatisfy(fault -> {
                assertThat(fault.store()).isEqualTo(DAMAGED);
                assertThat(fault.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
            });
            Set<Long> bad = receipt.faults().stream()
                    .map(fault -> fault.chunk().index())
                    .collect(Collectors.toSet());
            Awaitility.await()
                    .until(() -> fleet.client().files().stat(file).join().underReplicatedChunks() == bad.size());

            GetReceipt again = get(fleet, file, GetOptions.defaults().withMode(mode));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(again.rows()).noneMatch(row -> row.store().equals(DAMAGED) && bad.contains(row.chunkIndex()));
        }
    }

    private static FilePath put(Fleet fleet, Path source) {
        FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
        fleet.put(source, file);
        return file;
    }

    private static GetReceipt get(Fleet fleet, FilePath file, GetOptions how) {
        return fleet.client().files().get(file, fleet.target("back"), how).join();
    }

    private static CompletableFuture<GetReceipt> getUpToItsMiddle(Fleet fleet, FilePath file, Mode mode)
            throws InterruptedException {
        Milestone middle = new Milestone(MIB);
        CompletableFuture<GetReceipt> get = fleet.client()
                .files()
                .get(
                        file,
                        fleet.target("back"),
                        GetOptions.defaults().withMode(mode).withListener(middle));
        middle.await();
        return get;
    }

    /** Flips a byte in the first leaf of every large file of a disk. */
    private static void corrupt(Path disk) throws IOException {
        List<Path> chunks;
        try (Stream<Path> files = Files.walk(disk)) {
            chunks = files.filter(
                            path -> Files.isRegularFile(path) && path.toFile().length() > MIB)
                    .toList();
        }
        assertThat(chunks).isNotEmpty();
        for (Path chunk : chunks) {
            byte[] bytes = Files.readAllBytes(chunk);
            bytes[1000] ^= 1;
            Files.write(chunk, bytes);
        }
    }
}
