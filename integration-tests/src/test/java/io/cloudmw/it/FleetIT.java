package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.testing.RoundsAndCooperative;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of reads, writes and failures on processes: a coordinator and helpers with a disk each. */
final class FleetIT {
    private static final long MIB = 1 << 20;
    private static final String SLOW = "4MiB/s";

    @TempDir
    private static Path shared;

    /** Three helpers shared by all tests that do not disturb them. */
    private static Fleet undisturbed;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws IOException {
        undisturbed = Fleet.hostedDisks(shared, 3, "");
    }

    @AfterAll
    static void stop() {
        undisturbed.close();
    }

    @Test
    void filesOfAnySizeComeBackWhole() throws IOException {
        Fleet fleet = undisturbed;
        VolumeName bySize = fleet.in(Mode.DEFAULT).volume("by-size", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3));
        VolumeName byCount = fleet.in(Mode.ROUNDS).volume("by-count", Fleet.disks(1, 2, 3));
        for (long size : new long[] {0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 17, 20 * MIB}) {
            Path source = fleet.file("source", size);
            for (VolumeName volume : List.of(byCount, bySize)) {
                FilePath file = new FilePath(volume, "/size/" + size);
                fleet.put(source, file);
                fleet.get(file, fleet.target("back"));
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            }
        }
    }

    @Test
    void theReadmesSnippetDoesWhatItSays() throws IOException {
        Fleet fleet = undisturbed;
        fleet.volume("data", Fleet.disks(1, 2, 3));
        Path source = fleet.file("source", MIB);

        GetReceipt receipt = Embedding.putAndGet(
                fleet.coordinatorAddress(), "data:/reports/2026.parquet", source, fleet.target("copy"));

        assertThat(receipt.bytes()).isEqualTo(MIB);
        assertThat(fleet.target("copy")).hasSameBinaryContentAs(source);
    }

    @Test
    void aReadOfARangeGivesExactlyThoseBytesInOrder() throws IOException {
        Fleet fleet = undisturbed;
        FilePath file = new FilePath(fleet.volume("range", Fleet.disks(1, 2, 3)), "/f");
        Path source = fleet.file("source", 9 * MIB + 5);
        fleet.put(source, file);
        byte[] all = Files.readAllBytes(source);

        Path target = fleet.target("range");
        int from = (int) (2 * MIB + 3);
        int length = (int) (5 * MIB);
        try (var out = Channels.newChannel(Files.newOutputStream(target))) {
            fleet.client()
                    .files()
                    .read(file, out, GetOptions.defaults().withRange(new io.cloudmw.core.model.ByteRange(from, length)))
                    .join();
        }

        assertThat(Files.readAllBytes(target)).isEqualTo(java.util.Arrays.copyOfRange(all, from, from + length));
    }

    private static CompletableFuture<GetReceipt> getUpToItsMiddle(Fleet fleet, FilePath file)
            throws InterruptedException {
        return getUpToItsMiddle(fleet, file, GetOptions.defaults());
    }

    private static CompletableFuture<GetReceipt> getUpToItsMiddle(Fleet fleet, FilePath file, Mode mode)
            throws InterruptedException {
        return getUpToItsMiddle(fleet, file, GetOptions.defaults().withMode(mode));
    }

    private static CompletableFuture<GetReceipt> getUpToItsMiddle(Fleet fleet, FilePath file, GetOptions options)
            throws InterruptedException {
        Milestone middle = new Milestone(MIB);
        CompletableFuture<GetReceipt> get =
                fleet.client().files().get(file, fleet.target("back"), options.withListener(middle));
        middle.await();
        return get;
    }

    /** {@link ModesIT} kills the first helper, in every mode. */
    @Test
    void getSurvivesAKilledHelper() throws IOException, InterruptedException {
        assertThatAHelperMayBeKilledInTheMiddleOfAGet(2, Mode.ROUNDS);
    }

    @ParameterizedTest
    @CsvSource({"3, ROUNDS", "2, COOPERATIVE", "3, COOPERATIVE"})
    @Tag("full")
    void getSurvivesAnyKilledHelper(int victim, Mode mode) throws IOException, InterruptedException {
        assertThatAHelperMayBeKilledInTheMiddleOfAGet(victim, mode);
    }

    private void assertThatAHelperMayBeKilledInTheMiddleOfAGet(int victim, Mode mode)
            throws IOException, InterruptedException {
        try (Fleet fleet =
                Fleet.hostedDisks(directory, 3, SLOW, "helper-" + victim).in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 12 * MIB);
            fleet.put(source, file);

            CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file);
            fleet.helper(victim).kill();

            assertThat(get.join().bytes()).isEqualTo(12 * MIB);
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    @Test
    void aHelperThatIsPausedInTheMiddleOfAGetIsLeftBehind() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, SLOW, "helper-2")) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 12 * MIB);
            fleet.put(source, file);

            CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file);
            fleet.helper(2).pause();
            try {
                assertThat(get.join().bytes()).isEqualTo(12 * MIB);
            } finally {
                fleet.helper(2).resume();
            }
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    @RoundsAndCooperative
    void withoutAnyHelperTheClientRacesByItselfOverTheDisksItCanReach(Mode mode) throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, "", "helper-1", "helper-2", "helper-3")
                .in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 5 * MIB);
            fleet.put(source, file);
            for (int i = 1; i <= 3; i++) {
                fleet.helper(i).kill();
            }

            GetReceipt receipt = fleet.get(file, fleet.target("back"));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(receipt.winners()).containsOnlyKeys(Attempt.LOCAL);
        }
    }

    @RoundsAndCooperative
    void allHelpersKilledInTheMiddleOfAGetLeaveTheRestToTheClient(Mode mode) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, SLOW, "helper-1", "helper-2", "helper-3")
                .in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 12 * MIB);
            fleet.put(source, file);

            CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file);
            for (int i = 1; i <= 3; i++) {
                fleet.helper(i).kill();
            }

            assertThat(get.join().winners()).containsKey(Attempt.LOCAL);
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    /** The first manifest segment describes 16 MiB. When the coordinator dies, 15 MiB of those are still to come. */
    @Test
    void getThatNeedsMoreOfTheManifestSurvivesARestartOfTheCoordinator() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "4MiB/s", "coordinator")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(16 << 10), 2, Fleet.disks(1, 2));
            FilePath file = new FilePath(volume, "/f");
            Path source = fleet.file("source", 18 * MIB);
            fleet.put(source, file);
            for (Mode mode : List.of(Mode.ROUNDS, Mode.COOPERATIVE)) {
                CompletableFuture<GetReceipt> get = getUpToItsMiddle(fleet, file, mode);
                fleet.coordinator().kill();
                fleet.restart("coordinator");

                assertThat(get.join().version().segmentCount()).isEqualTo(2);
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            }
        }
    }

    /** The new coordinator places the second batch, without a helper that is slow to register again, if necessary. */
    @Test
    void putSurvivesARestartOfTheCoordinatorAndNoAcknowledgedFileIsLost() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, "", "coordinator")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB / 2), 2, Fleet.disks(1, 2, 3));
            Path before = fleet.file("before", 3 * MIB);
            fleet.put(before, new FilePath(volume, "/before"));

            Path source = fleet.file("source", 64 * MIB);
            Milestone middle = new Milestone(4 * MIB);
            CompletableFuture<PutReceipt> put = fleet.client()
                    .files()
                    .put(
                            source,
                            new FilePath(volume, "/f"),
                            PutOptions.defaults().withListener(middle));
            middle.await();
            fleet.coordinator().kill();
            fleet.restart("coordinator");
            put.join();

            fleet.get(new FilePath(volume, "/f"), fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            fleet.get(new FilePath(volume, "/before"), fleet.target("back-before"));
            assertThat(fleet.target("back-before")).hasSameBinaryContentAs(before);
        }
    }

    @Test
    void aHelperKilledInTheMiddleOfAPutIsReplacedByAnother() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 4, "", "helper-4")) {
            VolumeName volume = fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2, 3, 4));
            Path source = fleet.file("source", 40 * MIB);
            Milestone middle = new Milestone(4 * MIB);
            CompletableFuture<PutReceipt> put = fleet.client()
                    .files()
                    .put(
                            source,
                            new FilePath(volume, "/f"),
                            PutOptions.defaults().withListener(middle));
            middle.await();
            fleet.helper(4).kill();
            put.join();

            fleet.get(new FilePath(volume, "/f"), fleet.target("back"));
            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
        }
    }

    @Test
    void twoWritersOfAPathHaveOneWinnerAndTheOtherFails() throws IOException {
        Fleet fleet = undisturbed;
        FilePath file = new FilePath(fleet.volume("contended", Fleet.disks(1, 2, 3)), "/f");
        Path one = fleet.file("one", 8 * MIB);
        Path other = fleet.file("other", 8 * MIB + 1);

        List<CompletableFuture<PutReceipt>> puts;
        List<ErrorCode> failures;
        CountDownLatch begun = new CountDownLatch(2);
        try (CloudMw second = CloudMw.connect(fleet.coordinatorAddress());
                InputStream first = together(one, begun);
                InputStream last = together(other, begun)) {
            puts = List.of(
                    fleet.client().files().put(first, Files.size(one), file, PutOptions.defaults()),
                    second.files().put(last, Files.size(other), file, PutOptions.defaults()));
            failures = puts.stream().flatMap(FleetIT::failure).toList();
        }

        assertThat(failures).containsExactly(ErrorCode.CONFLICT);
        Path winner = puts.get(0).isCompletedExceptionally() ? other : one;
        fleet.get(file, fleet.target("back"));
        assertThat(fleet.target("back")).hasSameBinaryContentAs(winner);
    }

    /** Returns a source whose first read waits until a number of puts have begun. */
    private static InputStream together(Path file, CountDownLatch begun) throws IOException {
        return new FilterInputStream(Files.newInputStream(file)) {
            private boolean here;

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (!here) {
                    here = true;
                    begun.countDown();
                }
                try {
                    if (!begun.await(60, TimeUnit.SECONDS)) {
                        throw new IOException("the other put has not begun within 60 s");
                    }
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return super.read(target, offset, length);
            }
        };
    }

    private static Stream<ErrorCode> failure(CompletableFuture<?> future) {
        try {
            future.join();
            return Stream.empty();
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(CloudMwException.class);
            return e.getCause() instanceof CloudMwException known ? Stream.of(known.code()) : Stream.empty();
        }
    }

    @Test
    void aVolumeThatAsksForMoreReplicasThanThereAreStoresIsRefused() throws IOException {
        Fleet fleet = undisturbed;
        assertThatThrownBy(() -> fleet.volume("greedy", new Chunking.ByCount(3), 3, Fleet.disks(1, 2)))
                .hasMessageContaining("3 replicas need 3 stores, and 2 can be used")
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_ENOUGH_STORES));
    }

    @Test
    void copyOnAnUnavailableStoreIsRecordedAsOwed() throws IOException {
        try (Fleet fleet = Fleet.hosted(
                directory,
                Map.of("coordinator.helper-ttl", "8s", "coordinator.heartbeat-interval", "500ms"),
                "helper-3")) {
            fleet.startDiskHelpers(3, "");
            VolumeName volume = new VolumeName("v");
            fleet.client()
                    .volumes()
                    .create(new io.cloudmw.core.model.volume.Volume(
                            volume,
                            new Chunking.ByCount(3),
                            3,
                            List.of(Fleet.disks(1, 2, 3)),
                            2,
                            Mode.ROUNDS,
                            false,
                            0))
                    .join();
            fleet.helper(3).kill();
            Awaitility.await().until(() -> fleet.stores().stream().anyMatch(store -> !store.available()));

            FilePath file = new FilePath(volume, "/f");
            Path source = fleet.file("source", 3 * MIB);
            fleet.put(source, file);

            assertThat(fleet.client().files().stat(file).join().underReplicatedChunks())
                    .isEqualTo(3);
            for (Mode mode : List.of(Mode.ROUNDS, Mode.COOPERATIVE)) {
                GetReceipt receipt = fleet.client()
                        .files()
                        .get(file, fleet.target("back"), GetOptions.defaults().withMode(mode))
                        .join();
                assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
                assertThat(receipt.rows())
                        .as("what is owed is not asked for")
                        .noneMatch(row -> row.store().value().equals("disk-3"));
            }
        }
    }

    /** The kinds of damage to a file on a disk. */
    enum Damage {
        FLIPPED_BYTE,
        TRUNCATED;

        void doTo(Path replica) throws IOException {
            byte[] bytes = Files.readAllBytes(replica);
            if (this == FLIPPED_BYTE) {
                bytes[1000] ^= 1;
                Files.write(replica, bytes);
            } else {
                Files.write(replica, java.util.Arrays.copyOf(bytes, 100_000));
            }
        }
    }

    /** Covers truncation only; {@link ModesIT} covers a flipped byte. */
    @Test
    void aTruncatedReplicaOnADiskIsNamedCountedQuarantinedAndReadAroundFromThenOn()
            throws IOException, InterruptedException {
        assertReadAround(Damage.TRUNCATED, Mode.COOPERATIVE);
    }

    @ParameterizedTest
    @CsvSource({"FLIPPED_BYTE, ROUNDS", "TRUNCATED, ROUNDS"})
    @Tag("full")
    void aDamagedReplicaOnADiskIsNamedCountedQuarantinedAndReadAroundFromThenOn(Damage damage, Mode mode)
            throws IOException, InterruptedException {
        assertReadAround(damage, mode);
    }

    private void assertReadAround(Damage damage, Mode mode) throws IOException, InterruptedException {
        try (Fleet fleet =
                Fleet.hostedDisks(directory, 3, SLOW, Fleet.NO_REPAIR).in(mode)) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(1), 3, Fleet.disks(1, 2, 3)), "/f");
            Path source = fleet.file("source", 3 * MIB);
            fleet.put(source, file);
            fleet.awaitTheFirstLookOfRepair();
            damage.doTo(onlyChunk(fleet.disk(1)));

            GetReceipt receipt = fleet.get(file, fleet.target("back"));

            assertThat(fleet.target("back")).hasSameBinaryContentAs(source);
            assertThat(receipt.faults()).anySatisfy(fault -> {
                assertThat(fault.store().value()).isEqualTo("disk-1");
                assertThat(fault.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
            });
            assertThat(fleet.metricOfAll(3, "cloudmw_replica_faults_total")).isGreaterThanOrEqualTo(1);
            Awaitility.await()
                    .until(() -> fleet.client().files().stat(file).join().underReplicatedChunks() == 1);
            GetReceipt again = fleet.get(file, fleet.target("again"));
            assertThat(again.rows()).noneMatch(row -> row.store().value().equals("disk-1"));
        }
    }

    /** The only helper is stopped, so that only the client can have found the fault. */
    @ParameterizedTest
    @EnumSource(ReplicaFaultOnDisk.class)
    void aReplicaThatOnlyAClientFindsBadIsRecorded(ReplicaFaultOnDisk kind) throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 1, "", "helper-1")) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.ByCount(1), 1, Fleet.disks(1)), "/f");
            fleet.put(fleet.file("source", MIB), file);
            fleet.helper(1).kill();
            kind.happenTo(onlyChunk(fleet.disk(1)));

            assertThat(failure(fleet.client().files().get(file, fleet.target("back"), GetOptions.defaults())))
                    .contains(kind.code);

            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> fleet.client().files().stat(file).join().underReplicatedChunks() == 1);
        }
    }

    /** The faults that a client can find when it reads a disk itself. */
    enum ReplicaFaultOnDisk {
        CORRUPT(ErrorCode.REPLICA_CORRUPT),
        MISSING(ErrorCode.REPLICA_MISSING);

        private final ErrorCode code;

        ReplicaFaultOnDisk(ErrorCode code) {
            this.code = code;
        }

        void happenTo(Path replica) throws IOException {
            if (this == MISSING) {
                Files.delete(replica);
            } else {
                Damage.FLIPPED_BYTE.doTo(replica);
            }
        }
    }

    private static Path onlyChunk(Path disk) throws IOException {
        try (Stream<Path> files = Files.walk(disk)) {
            return files.filter(path -> path.getFileName().toString().matches("[0-9a-f]{32}-[0-9a-f]{8}.*"))
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aDestinationThatIsFullIsOneClearErrorAndLeavesNothing() throws IOException {
        Fleet fleet = undisturbed;
        FilePath file = new FilePath(fleet.volume("full", Fleet.disks(1, 2)), "/f");
        fleet.put(fleet.file("source", 6 * MIB), file);
        Path destination = Files.createDirectory(directory.resolve("destination"));
        Path target = Files.writeString(destination.resolve("file"), "before");

        CommandLine.Result result = new CommandLine(fleet.coordinatorAddress())
                .withFilesUpTo(2 * MIB)
                .run("get", file.toString(), target.toString());

        assertThat(result.exitCode()).as(result.toString()).isEqualTo(7);
        assertThat(result.err()).contains(target + ": cannot write to it: ");
        assertThat(target).hasContent("before");
        assertThat(destination).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void aDestinationThatVanishesInTheMiddleOfAGetIsOneClearError() throws IOException, InterruptedException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, SLOW)) {
            FilePath file = new FilePath(fleet.volume("v", Fleet.disks(1, 2)), "/f");
            fleet.put(fleet.file("source", 12 * MIB), file);
            Path destination = Files.createDirectory(directory.resolve("destination"));
            Milestone middle = new Milestone(MIB);
            CompletableFuture<GetReceipt> get = fleet.client()
                    .files()
                    .get(
                            file,
                            destination.resolve("file"),
                            GetOptions.defaults().withListener(middle));
            middle.await();
            try (Stream<Path> files = Files.list(destination)) {
                for (Path path : files.toList()) {
                    Files.delete(path);
                }
            }
            Files.delete(destination);

            assertThat(failure(get)).containsExactly(ErrorCode.LOCAL_IO);
            assertThat(destination).doesNotExist();
        }
    }
}
