package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.store.LockFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of unknown length, interrupted puts, and lost answers. */
@Timeout(120)
final class WritePathTest {
    private static final int LEAF = 16 << 10;
    private static final int CHUNK = 64 << 10;
    private static final int CHUNKS_IN_FLIGHT = 3;
    private static final FilePath FILE = FilePath.parse("vol:/a/file");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeCoordinator coordinator;
    private CloudMw client;

    @BeforeEach
    void connect() throws IOException {
        start(CHUNK, LEAF, FakeHelper.Script.SERVE);
    }

    private void start(int chunk, int leaf, FakeHelper.Script script) throws IOException {
        cluster = new FakeCluster(chunk, leaf, script, directory.resolve("nowhere"), 8L << 20);
        coordinator = cluster.coordinator();
        client = cluster.client();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static byte[] bytes(int length) {
        return FakeCluster.bytes(length, length);
    }

    private PutReceipt stream(byte[] content) throws Exception {
        return client.files()
                .put(new ByteArrayInputStream(content), FILE, PutOptions.defaults())
                .get(60, SECONDS);
    }

    private void holds(byte[] content) throws Exception {
        Path out = directory.resolve("out");
        client.files().get(FILE, out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(Files.readAllBytes(out)).isEqualTo(content);
    }

    // ---- streams

    @ParameterizedTest
    @ValueSource(ints = {0, 1, LEAF, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 17, 64 * CHUNK, 70 * CHUNK + 1})
    void streamOfAnyLengthIsPut(int size) throws Exception {
        byte[] content = bytes(size);
        PutReceipt receipt = stream(content);
        assertThat(receipt.version().sizeBytes()).isEqualTo(size);
        assertThat(receipt.version().chunkCount()).isEqualTo((size + CHUNK - 1) / CHUNK);
        holds(content);
    }

    /** Segments hold 1024 chunks. */
    @ParameterizedTest
    @ValueSource(ints = {1023, 1024, 1025})
    void streamMayEndAtManifestSegmentBoundary(int chunks) throws Exception {
        close();
        start(4096, 4096, FakeHelper.Script.SERVE);
        byte[] content = bytes(chunks * 4096);
        assertThat(stream(content).version().segmentCount()).isEqualTo(chunks > 1024 ? 2 : 1);
        holds(content);
    }

    @Test
    void streamIsSentWhileItIsRead() throws Exception {
        byte[] content = bytes(3 * CHUNK);
        CountDownLatch sent = new CountDownLatch(1);
        InputStream waiting = new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                if (pos >= 2 * CHUNK) {
                    try {
                        sent.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return super.read(into, from, length);
            }
        };
        List<Long> totals = new ArrayList<>();
        TransferListener told = new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                totals.add(total);
                sent.countDown();
            }
        };
        client.files()
                .put(waiting, FILE, PutOptions.defaults().withListener(told))
                .get(60, SECONDS);
        assertThat(totals).first().isEqualTo(-1L);
        holds(content);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5 * CHUNK + 17})
    void streamIsMeasuredWhenLengthDecidesChunkSize(int size) throws Exception {
        coordinator.letLengthDecide();
        byte[] content = bytes(size);
        stream(content);
        holds(content);
    }

    @Test
    void brokenStreamFailsWithOneClearErrorAndLeavesNoFile() {
        InputStream broken = new InputStream() {
            private int left = 2 * CHUNK;

            @Override
            public int read() throws IOException {
                if (left-- == 0) {
                    throw new IOException("the line is cut");
                }
                return 1;
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                into[from] = (byte) read();
                return 1;
            }
        };
        assertThat(client.files().put(broken, FILE, PutOptions.defaults()))
                .failsWithin(60, SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(CloudMwException.class)
                .withStackTraceContaining("the line is cut");
        assertThat(coordinator.files()).isEmpty();
    }

    // ---- puts that are resumed

    private final List<String> anew = new ArrayList<>();

    private PutOptions resumable(TransferListener listener) {
        return PutOptions.defaults().resumable(directory.resolve("journals")).withListener(listener);
    }

    private PutReceipt again(Path source) throws Exception {
        TransferListener told = new TransferListener() {
            @Override
            public void begunAnew(String why) {
                anew.add(why);
            }
        };
        return client.files().put(source, FILE, resumable(told)).get(60, SECONDS);
    }

    private List<Path> journals() throws IOException {
        try (var list = Files.list(directory.resolve("journals"))) {
            return list.toList();
        }
    }

    /** Runs a put that ends after so many chunks were sent. */
    private void interrupt(Path source, int afterChunks) throws Exception {
        CompletableFuture<CompletableFuture<PutReceipt>> begun = new CompletableFuture<>();
        CompletableFuture<PutReceipt> put = client.files().put(source, FILE, resumable(new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                // Cancelled by the put's own thread, which commits nothing meanwhile.
                if (done >= (long) afterChunks * CHUNK) {
                    boolean unused = begun.join().cancel(true);
                }
            }
        }));
        begun.complete(put);
        assertThat(put).failsWithin(60, SECONDS);
        await().until(() -> client.runningTransfers() == 0);
        assertThat(coordinator.files()).isEmpty();
        assertThat(journals()).hasSize(1);
    }

    private static long sent(PutReceipt receipt) {
        return receipt.cost().usage().values().stream()
                .mapToLong(StoreUsage::writtenBytes)
                .sum();
    }

    @Test
    void resumedPutSendsOnlyMissingChunks() throws Exception {
        byte[] content = bytes(100 * CHUNK + 5);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 80);
        interrupt(source, 90);
        PutReceipt receipt = again(source);
        assertThat(receipt.resumedBytes()).isGreaterThanOrEqualTo((90L - CHUNKS_IN_FLIGHT) * CHUNK);
        assertThat(sent(receipt)).isEqualTo(content.length - receipt.resumedBytes());
        assertThat(anew).isEmpty();
        assertThat(journals()).isEmpty();
        holds(content);
    }

    @Test
    void resumedPutReportsStoredBytesBeforeProgress() throws Exception {
        Path source = Files.write(directory.resolve("source"), bytes(60 * CHUNK));
        interrupt(source, 40);
        List<String> told = new CopyOnWriteArrayList<>();
        TransferListener listener = new TransferListener() {
            @Override
            public void reused(long bytes) {
                told.add("reused " + bytes);
            }

            @Override
            public void progressed(long done, long total) {
                told.add("progressed " + done);
            }
        };
        PutReceipt receipt =
                client.files().put(source, FILE, resumable(listener)).get(60, SECONDS);
        assertThat(told).startsWith("reused " + receipt.resumedBytes(), "progressed " + receipt.resumedBytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void putEndedWithItsClientSaysThatItCanBeResumed(boolean noted) throws Exception {
        Path source = Files.write(directory.resolve("source"), bytes(60 * CHUNK));
        CompletableFuture<PutReceipt> put;
        CompletableFuture<Thread> closing = new CompletableFuture<>();
        try (CloudMw closed = CloudMw.connect(coordinator.address())) {
            TransferListener listener = new TransferListener() {
                @Override
                public void progressed(long done, long total) {
                    if (done >= 10L * CHUNK && !closing.isDone()) {
                        Thread closer = new Thread(closed::close);
                        closing.complete(closer);
                        closer.start();
                        // The closing client waits for this put, whose end is ordered then.
                        await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
                    }
                }
            };
            put = closed.files()
                    .put(
                            source,
                            FILE,
                            noted ? resumable(listener) : PutOptions.defaults().withListener(listener));
            closing.get(60, SECONDS).join();
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> put.get(60, SECONDS))
                .havingCause()
                .withMessage(FILE + ": cancelled" + (noted ? "; the same put goes on where this one stopped" : ""));
    }

    @Test
    void resumedPutDoesNotRewriteSegments() throws Exception {
        close();
        start(4096, 4096, FakeHelper.Script.SERVE);
        byte[] content = bytes(3000 * 4096);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 2560 * 4096 / CHUNK);
        assertThat(coordinator.segmentsPut()).isEqualTo(2);
        PutReceipt receipt = again(source);
        assertThat(receipt.resumedBytes()).isGreaterThanOrEqualTo((2560L - CHUNKS_IN_FLIGHT) * 4096);
        assertThat(coordinator.segmentsPut()).isEqualTo(3);
        holds(content);
    }

    @Test
    void changedSourceIsPutFromTheStart() throws Exception {
        Path source = Files.write(directory.resolve("source"), bytes(40 * CHUNK));
        interrupt(source, 20);
        byte[] other = bytes(40 * CHUNK);
        other[3] ^= 1;
        FileTime before = Files.getLastModifiedTime(source);
        Files.write(source, other);
        Files.setLastModifiedTime(source, before);
        assertThat(again(source).resumedBytes()).isZero();
        assertThat(anew).singleElement().asString().contains("source has changed");
        holds(other);
    }

    @Test
    void expiredUploadIsPutFromTheStart() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        coordinator.giveUp();
        assertThat(again(source).resumedBytes()).isZero();
        assertThat(anew).singleElement().asString().contains("given up");
        holds(content);
    }

    @Test
    void uploadIntoRecreatedVolumeIsPutFromTheStart() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        coordinator.makeVolumesAnew();
        assertThat(again(source).resumedBytes()).isZero();
        assertThat(anew).singleElement().asString().contains("volume was created again");
        holds(content);
    }

    /** The upload would be refused again for any of these reasons. */
    @ParameterizedTest
    @CsvSource({
        "BeginPut,VOLUME_NOT_FOUND",
        "CommitPut,VOLUME_NOT_FOUND",
        "CommitPut,INVALID_ARGUMENT",
        "CommitPut,QUORUM_NOT_MET"
    })
    void aJournalWhoseUploadTheCoordinatorRefusesIsDropped(String call, ErrorCode code) throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        coordinator.refuse(call, code, 1);
        assertThatThrownBy(() -> again(source))
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
        assertThat(journals()).isEmpty();
        assertThat(again(source).resumedBytes()).isZero();
        holds(content);
    }

    /** A regression: the put reported a restart although nothing had been stored. */
    @Test
    void putAfterEmptyUploadDoesNotReportRestart() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        coordinator.refuse("PlaceChunks", ErrorCode.STORE_DENIED, 1);
        assertThatThrownBy(() -> again(source)).isInstanceOf(ExecutionException.class);
        assertThat(again(source).resumedBytes()).isZero();
        assertThat(anew).isEmpty();
        holds(content);
    }

    @Test
    void temporarilyFailedPutKeepsItsJournal() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        coordinator.refuse("BeginPut", ErrorCode.QUORUM_NOT_MET, 1);
        assertThatThrownBy(() -> again(source)).isInstanceOf(ExecutionException.class);
        assertThat(again(source).resumedBytes()).isPositive();
        holds(content);
    }

    @Test
    void putCancelledAtStartReleasesItsJournal() throws Exception {
        close();
        // No put may be over before it is cancelled.
        start(CHUNK, LEAF, FakeHelper.Script.UNANSWERED_WRITES);
        Path source = Files.write(directory.resolve("source"), bytes(40 * CHUNK));
        CompletableFuture<PutReceipt> begun = client.files().put(source, FILE, resumable(TransferListener.NONE));
        await().until(() -> client.runningTransfers() > 0);
        begun.cancel(true);
        for (int i = 0; i < 100; i++) {
            client.files().put(source, FILE, resumable(TransferListener.NONE)).cancel(true);
        }
        await().until(() -> client.runningTransfers() == 0);
        try (LockFile free = LockFile.tryLock(journals().get(0)).orElseThrow()) {
            assertThat(free).isNotNull();
        }
    }

    @Test
    void cancelledPutStopsReadingItsStream() throws Exception {
        coordinator.letLengthDecide();
        AtomicLong reads = new AtomicLong();
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 0;
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                reading.countDown();
                try {
                    cancelled.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
                if (reads.incrementAndGet() > 1) {
                    over.countDown();
                }
                return length;
            }
        };
        CompletableFuture<PutReceipt> put = client.files().put(endless, FILE, PutOptions.defaults());
        reading.await();
        put.cancel(true);
        await().until(() -> client.runningTransfers() == 0);
        cancelled.countDown();
        client.close();
        assertThat(over.getCount()).isOne();
    }

    @Test
    void commitWithLostAnswerIsFoundByNextPut() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        Path journal = journals().get(0);
        byte[] noted = Files.readAllBytes(journal);
        VersionId version = again(source).version().id();

        Files.write(journal, noted);
        PutReceipt found = again(source);
        assertThat(found.version().id()).isEqualTo(version);
        assertThat(found.resumedBytes()).isEqualTo(content.length);
        assertThat(sent(found)).isZero();

        client.files()
                .put(new ByteArrayInputStream(new byte[1]), FILE, PutOptions.defaults())
                .get(60, SECONDS);
        Files.write(journal, noted);
        assertThat(again(source).resumedBytes()).isZero();
        assertThat(anew).isNotEmpty();
        holds(content);
    }

    @Test
    void damagedJournalIsUsedUpToTheDamage() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        interrupt(source, 20);
        Path journal = journals().get(0);
        byte[] noted = Files.readAllBytes(journal);
        noted[noted.length / 4] ^= 1;
        Files.write(journal, noted);
        PutReceipt receipt = again(source);
        assertThat(receipt.resumedBytes()).isBetween(1L, 15L * CHUNK);
        holds(content);
    }

    @Test
    void secondPutOfLockedJournalRunsWithoutJournal() throws Exception {
        byte[] content = bytes(40 * CHUNK);
        Path source = Files.write(directory.resolve("source"), content);
        List<CompletableFuture<PutReceipt>> puts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            puts.add(client.files().put(source, FilePath.parse("vol:/a/" + i), resumable(TransferListener.NONE)));
            puts.add(client.files().put(source, FilePath.parse("vol:/a/" + i), resumable(TransferListener.NONE)));
        }
        for (int i = 0; i < 3; i++) {
            CompletableFuture<PutReceipt> first = puts.get(2 * i);
            CompletableFuture<PutReceipt> second = puts.get(2 * i + 1);
            CompletableFuture.allOf(first, second)
                    .exceptionally(conflict -> null)
                    .get(60, SECONDS);
            assertThat(List.of(first, second)).anySatisfy(put -> assertThat(put).isCompleted());
        }
        Path unwritable = Files.write(directory.resolve("no-directory"), new byte[1]);
        client.files()
                .put(source, FILE, PutOptions.defaults().resumable(unwritable))
                .get(60, SECONDS);
        holds(content);
    }

    // ---- lost answers

    @ParameterizedTest
    @ValueSource(strings = {"BeginPut", "PlaceChunks", "PutSegment", "CommitPut"})
    void callWithLostAnswerIsRetriedAndTakesEffectOnce(String call) throws Exception {
        coordinator.loseAnswersTo(call, 2);
        byte[] content = bytes(5 * CHUNK + 17);
        Path source = Files.write(directory.resolve("source"), content);
        PutReceipt receipt = again(source);
        assertThat(coordinator.answersLost()).isEqualTo(2);
        assertThat(coordinator.files().values())
                .extracting(FileVersion::id)
                .containsExactly(receipt.version().id());
        assertThat(sent(receipt)).isEqualTo(content.length);
        holds(content);
    }

    @Test
    void conflictIsReportedAfterLostAnswer() throws Exception {
        stream(new byte[1]);
        coordinator.loseAnswersTo("BeginPut", 1);
        assertThat(client.files()
                        .put(
                                new ByteArrayInputStream(new byte[1]),
                                FILE,
                                PutOptions.defaults().ifAbsent()))
                .failsWithin(60, SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(
                        CloudMwException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CONFLICT));
    }
}
