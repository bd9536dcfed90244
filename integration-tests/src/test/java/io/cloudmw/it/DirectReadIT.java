package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.fail;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.FileOperations;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.testing.RoundsAndCooperative;
import io.cloudmw.it.SignedReadFaults.Fault;
import io.cloudmw.lab.s3.BucketServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of reads that go to stores without helpers: two buckets, a coordinator and two helpers without disks. */
final class DirectReadIT {
    private static final long MIB = 1 << 20;
    private static final Duration SLOW = Duration.ofMillis(700);
    /** More reads than the measurements need before they are believed. */
    private static final int MOST_READS = 40;

    private static final GetOptions DIRECT = GetOptions.defaults().withPath(ReadPath.DIRECT);

    @TempDir
    private Path directory;

    private BucketServer buckets;
    private SignedReadFaults first;
    private SignedReadFaults second;
    private Fleet fleet;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        buckets = new BucketServer(directory.resolve("buckets"), InetAddress.getLoopbackAddress());
        first = new SignedReadFaults(buckets.endpoint());
        second = new SignedReadFaults(buckets.endpoint());
        Files.createDirectory(directory.resolve("buckets").resolve("bucket-a"));
        Files.createDirectory(directory.resolve("buckets").resolve("bucket-b"));
        fleet = Fleet.hosted(directory.resolve("fleet"), Fleet.NO_REPAIR);
        fleet.startHelpers(1, 2, i -> java.util.Map.of());
        StoreId unused = fleet.bucket("bucket-a", "us-east-1", first.endpoint());
        StoreId unusedToo = fleet.bucket("bucket-b", "us-east-1", second.endpoint());
    }

    @AfterEach
    void stop() {
        fleet.close();
        first.close();
        second.close();
        buckets.close();
    }

    private FilePath file(Mode mode, long chunkBytes, String... stores) {
        VolumeName volume = fleet.in(mode)
                .volume(
                        "v",
                        new Chunking.BySize(chunkBytes),
                        stores.length,
                        Arrays.stream(stores).map(StoreId::new).toArray(StoreId[]::new));
        return new FilePath(volume, "/f");
    }

    private FileOperations files() {
        return fleet.client().files();
    }

    private GetReceipt assertComesBack(FilePath file, Path source, GetOptions options) throws IOException {
        Path back = fleet.target("back");
        GetReceipt receipt = files().get(file, back, options).join();
        assertThat(Files.mismatch(back, source)).isEqualTo(-1);
        return receipt;
    }

    private static CloudMwException failure(CompletableFuture<?> read) {
        Throwable failed = Reasons.unwrapped(catchThrowable(read::join));
        assertThat(failed).isInstanceOf(CloudMwException.class);
        return (CloudMwException) failed;
    }

    @RoundsAndCooperative
    void aDirectReadAsksNoHelper(Mode mode) throws IOException {
        FilePath file = file(mode, 4 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 21 * MIB + 17);
        fleet.put(source, file);

        GetReceipt receipt = assertComesBack(file, source, DIRECT);

        assertThat(receipt.winners()).containsOnlyKeys(Attempt.LOCAL);
        assertThat(first.signedReads() + second.signedReads()).isPositive();
    }

    /** The last leaf of a chunk has few bytes: it waits for the reader's memory when the store has sent everything. */
    @Test
    void eachAttemptOfASlowReaderIsCountedOnceAndReportsItsEnd() throws IOException {
        VolumeName volume = fleet.in(Mode.COOPERATIVE)
                .volume(
                        "v",
                        new Chunking.BySize(31 * MIB / 4 + 100, 256 << 10),
                        2,
                        new StoreId("bucket-a"),
                        new StoreId("bucket-b"));
        FilePath file = new FilePath(volume, "/f");
        fleet.put(fleet.file("source", 80 * MIB), file);
        Object turn = new Object();

        try (CloudMw client = CloudMw.connect(fleet.readingOnce().withMemory(8 * MIB, 4 * MIB))) {
            PositionalTarget slow = (offset, bytes) -> {
                synchronized (turn) {
                    LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                }
            };
            GetReceipt receipt = client.files().read(file, slow, DIRECT).join();

            assertThat(receipt.attempts()).isEqualTo(receipt.rows().size());
            assertThat(receipt.rows())
                    .filteredOn(attempt -> attempt.state() == AttemptState.FINISHED)
                    .hasSize((int) blocks(receipt));
        }
    }

    @Test
    void aRangeComesDirectlyInOrder() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 13 * MIB);
        fleet.put(source, file);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int from = (int) MIB + 5;
        int length = 9 << 20;

        files().read(file, Channels.newChannel(out), DIRECT.withRange(new ByteRange(from, length)))
                .join();

        byte[] all = Files.readAllBytes(source);
        assertThat(out.toByteArray()).isEqualTo(Arrays.copyOfRange(all, from, from + length));
    }

    @Test
    void filesOfOnePackComeDirectly() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 5000);
        List<FilePut> puts = List.of(
                FilePut.of(source, new FilePath(file.volume(), "/a")),
                FilePut.of(source, new FilePath(file.volume(), "/b")));
        files().putAll(puts).forEach(CompletableFuture::join);
        int before = first.signedReads() + second.signedReads();

        files().getAll(
                        List.of(
                                new FileGet(new FilePath(file.volume(), "/a"), fleet.target("a")),
                                new FileGet(new FilePath(file.volume(), "/b"), fleet.target("b"))),
                        DIRECT)
                .forEach(CompletableFuture::join);

        assertThat(fleet.target("a")).hasSameBinaryContentAs(source);
        assertThat(fleet.target("b")).hasSameBinaryContentAs(source);
        assertThat(first.signedReads() + second.signedReads()).isGreaterThan(before);
    }

    @RoundsAndCooperative
    void corruptBytesOfOneStoreAreRejectedAndTheOtherStoreWins(Mode mode) throws IOException {
        FilePath file = file(mode, 2 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 9 * MIB);
        fleet.put(source, file);
        first.with(Fault.CORRUPT);

        GetReceipt receipt = assertComesBack(file, source, DIRECT);

        assertThat(receipt.winners()).containsOnlyKeys(Attempt.LOCAL);
        assertThat(receipt.faults())
                .allSatisfy(fault -> assertThat(fault.store()).isEqualTo(new StoreId("bucket-a")));
    }

    @Test
    void aStoreThatRefusesTheClientFailsADirectReadAndNamesTheWayOut() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "bucket-a");
        fleet.put(fleet.file("source", 5 * MIB), file);
        first.with(Fault.DENIED);

        CloudMwException failure = failure(files().get(file, fleet.target("back"), DIRECT));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(failure).hasMessageContaining("path fleet").hasMessageContaining("bucket-a");
        assertThat(failure.toString()).doesNotContain("X-Amz").doesNotContain("Signature=");
    }

    @Test
    void byDefaultHelpersBringWhatTheStoreRefusesTheClient() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 16 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 80 * MIB);
        fleet.put(source, file);
        first.with(Fault.DENIED);
        second.with(Fault.DENIED);

        // A read may try one store only.
        for (int read = 0; read < 2; read++) {
            assertThat(assertComesBack(file, source, GetOptions.defaults()).winners())
                    .doesNotContainKey(Attempt.LOCAL);
        }
        int asked = first.signedReads() + second.signedReads();

        assertThat(asked).isPositive();
        assertComesBack(file, source, GetOptions.defaults());
        assertThat(first.signedReads() + second.signedReads())
                .as("stores that refused the client are not asked again at once")
                .isEqualTo(asked);
    }

    @Test
    void byDefaultALongReadTriesTheDirectPath() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 16 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 80 * MIB);
        fleet.put(source, file);

        assertThat(assertComesBack(file, source, GetOptions.defaults()).winners())
                .containsKey(Attempt.LOCAL);
        assertThat(assertComesBack(file, source, GetOptions.defaults().withPath(ReadPath.FLEET))
                        .winners())
                .doesNotContainKey(Attempt.LOCAL);
    }

    /** The delays are far longer than all else that a read of a block takes, also on a busy machine. */
    @Test
    void byDefaultReadsTakeTheQuickerPathAndChangeItLater() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 16 * MIB, "bucket-a", "bucket-b");
        Path source = fleet.file("source", 80 * MIB);
        fleet.put(source, file);

        delay(Duration.ZERO, SLOW);
        assertPathIsTaken(file, source, true);

        delay(SLOW, Duration.ZERO);
        assertPathIsTaken(file, source, false);
    }

    private void delay(Duration client, Duration helpers) {
        first.delay(client, helpers);
        second.delay(client, helpers);
    }

    /** Reads until the client or the helpers have brought most blocks of a read. */
    private void assertPathIsTaken(FilePath file, Path source, boolean direct) throws IOException {
        List<String> reads = new ArrayList<>();
        for (int read = 0; read < MOST_READS; read++) {
            GetReceipt receipt = assertComesBack(file, source, GetOptions.defaults());
            long local = receipt.winners().getOrDefault(Attempt.LOCAL, 0L);
            long all = blocks(receipt);
            reads.add(local + " of " + all);
            if (direct ? 2 * local > all : 4 * local < all) {
                return;
            }
        }
        fail("blocks that the client read by itself: " + reads);
    }

    private static long blocks(GetReceipt receipt) {
        return receipt.winners().values().stream().mapToLong(Number::longValue).sum();
    }

    @Test
    void urlsThatHaveExpiredAreSignedAnew() throws IOException {
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "bucket-a");
        Path source = fleet.file("source", 5 * MIB);
        fleet.put(source, file);
        first.with(Fault.EXPIRED_AT_FIRST);

        GetReceipt receipt = assertComesBack(file, source, DIRECT);

        assertThat(receipt.winners()).containsOnlyKeys(Attempt.LOCAL);
        assertThat(receipt.extras().retries()).isZero();
    }

    @Test
    void cancellingADirectReadClosesItsConnections() throws Exception {
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "bucket-a");
        fleet.put(fleet.file("source", 5 * MIB), file);
        first.with(Fault.STALLED);
        CompletableFuture<GetReceipt> read = files().get(file, fleet.target("back"), DIRECT);
        first.awaitStalled();

        read.cancel(true);

        first.awaitHungUp();
    }

    @Test
    void aDiskIsReadDirectlyOnItsMachineOnly() throws IOException {
        fleet.startHelpers(
                3,
                3,
                i -> java.util.Map.of("helper.disk.disk-3.path", fleet.disk(3).toString()));
        FilePath file = file(Mode.COOPERATIVE, 4 * MIB, "disk-3");
        Path source = fleet.file("source", 5 * MIB);
        fleet.put(source, file);
        assertThat(assertComesBack(file, source, DIRECT).winners()).containsOnlyKeys(Attempt.LOCAL);
        Files.move(fleet.disk(3), directory.resolve("elsewhere"));

        CloudMwException failure = failure(files().get(file, fleet.target("back"), DIRECT));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("disk-3")
                .hasMessageContaining("a disk of another machine")
                .hasMessageContaining("path fleet");
    }
}
