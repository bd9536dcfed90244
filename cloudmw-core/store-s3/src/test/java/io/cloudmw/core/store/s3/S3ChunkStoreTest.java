package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of responses that LocalStack does not give: odd, late, cut short or missing ones. */
final class S3ChunkStoreTest {
    private static final S3Settings IMPATIENT =
            new S3Settings(Duration.ofSeconds(2), Duration.ofMillis(300), Duration.ofSeconds(5), 1 << 20, 2, 2, 1, 2);

    private static final S3Settings NORMAL =
            new S3Settings(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1), 1 << 20, 2, 2, 1, 2);

    private static final S3Settings PATIENT =
            new S3Settings(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(5), 1, 2, 2, 1, 2);

    private final ChunkId chunk = Chunks.id();
    private final FakeTicker ticker = new FakeTicker();
    private volatile long civilMillis;
    private final List<Long> slept = new ArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<S3Stores> opened = new ArrayList<>();
    private ScriptedHttpServer server;

    @BeforeEach
    void startServer() throws IOException {
        server = new ScriptedHttpServer();
    }

    @AfterEach
    void stopServer() {
        thread.shutdownNow();
        server.close();
        opened.forEach(S3Stores::close);
    }

    @Test
    void putOfAnExistingChunkSucceeds() throws Exception {
        server.thenError(412, "PreconditionFailed").then(exchange -> {
            exchange.getResponseHeaders().set("Content-Length", "100");
            exchange.getResponseHeaders().set("x-amz-checksum-crc32c", crc32c(new byte[100]));
            exchange.sendResponseHeaders(200, -1);
        });

        assertThat(put(NORMAL)).isEqualTo(PutOutcome.EXISTED);
        assertThat(methods()).containsExactly("PUT", "HEAD");
    }

    @Test
    void putThatMeetsAnotherRetriesUntilOneIsStored() throws Exception {
        server.thenError(409, "ConditionalRequestConflict")
                .thenError(409, "ConditionalRequestConflict")
                .then(200);

        assertThat(put(NORMAL)).isEqualTo(PutOutcome.WRITTEN);
        assertThat(slept).hasSize(2);
        assertThat(slept.get(1)).isEqualTo(2 * slept.get(0));
    }

    @Test
    void aPutGivesUpWhenTheConflictsDoNotEnd() {
        server.thenError(409, "ConditionalRequestConflict");

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> put(NORMAL));
        assertThat(server.requests()).hasSize(6);
    }

    @Test
    void aStoreWithoutConditionalPutsIsAskedFirst() throws Exception {
        server.thenError(501, "NotImplemented").then(404).then(200).then(200);

        ChunkStore store = store(NORMAL);
        assertThat(store.put(chunk, Chunks.source(new byte[3]))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(methods()).containsExactly("PUT", "HEAD", "HEAD", "PUT");
    }

    @Test
    void serverErrorsAreRetriedButNotForever() {
        server.thenError(503, "SlowDown");

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(NORMAL), chunk, 0, 10));
        assertThat(server.requests()).hasSize(NORMAL.maxAttempts());
    }

    @Test
    void eachAnswerHasItsCode() {
        assertReadFails(403, "AccessDenied", ErrorCode.STORE_DENIED);
        assertReadFails(400, "ExpiredToken", ErrorCode.STORE_DENIED);
        assertReadFails(404, "NoSuchKey", ErrorCode.REPLICA_MISSING);
        assertReadFails(404, "NoSuchBucket", ErrorCode.STORE_UNAVAILABLE);
        assertReadFails(416, "InvalidRange", ErrorCode.INVALID_ARGUMENT);
        assertReadFails(301, "PermanentRedirect", ErrorCode.STORE_DENIED);
        assertReadFails(500, "InternalError", ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aStoreThatNeverAnswersIsUnavailable() {
        server.thenSilence();

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(IMPATIENT), chunk, 0, 10));
    }

    @Test
    void aStoreThatStallsInTheMiddleIsUnavailable() {
        server.thenStallAfter(100, 1000);

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(IMPATIENT), chunk, 0, 1000));
    }

    @Test
    void aReadMayTakeLongerThanASmallCallAsLongAsBytesCome() throws Exception {
        S3Settings hurried = new S3Settings(
                Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(1), 1 << 20, 2, 2, 1, 1);
        CountDownLatch late = new CountDownLatch(1);
        server.then(exchange -> {
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-99/100");
            exchange.sendResponseHeaders(206, 100);
            exchange.getResponseBody().write(new byte[50]);
            exchange.getResponseBody().flush();
            Awaitility.await().until(() -> late.getCount() == 0);
            exchange.getResponseBody().write(new byte[50]);
        });
        try (ChunkReader reader = store(hurried).read(chunk, new ByteRange(0, 100))) {
            ByteBuffer target = ByteBuffer.allocate(100);
            while (target.position() < 50) {
                reader.read(target);
            }
            Awaitility.await().pollDelay(hurried.callTimeout().multipliedBy(2)).until(() -> true);
            late.countDown();
            assertThat(Chunks.readAll(reader)).hasSize(50);
        }
    }

    @Test
    void aReaderThatWaitsForAConnectionCanBeClosed() throws Exception {
        server.thenStallAfter(1, 1000);
        ChunkStore store = store(PATIENT);
        List<ChunkReader> holders = holders(store);
        ChunkReader waiting = store.read(chunk, new ByteRange(0, 1000));
        CompletableFuture<CloudMwException> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(CloudMwException.class, () -> waiting.read(ByteBuffer.allocate(1))), thread);
        Awaitility.await().during(Duration.ofMillis(300)).until(() -> !failure.isDone());

        waiting.close();

        assertThat(failure.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.CANCELLED);
        holders.forEach(ChunkReader::close);
    }

    /** Reads that hold all connections for ordinary reads, and the one that keeps another open for hedges. */
    private List<ChunkReader> holders(ChunkStore store) throws CloudMwException {
        List<ChunkReader> holders = new ArrayList<>();
        for (int i = 0; i < PATIENT.maxConnections() + 1; i++) {
            ChunkReader holder = store.read(chunk, new ByteRange(0, 1000));
            assertThat(holder.read(ByteBuffer.allocate(1))).isEqualTo(1);
            holders.add(holder);
        }
        return holders;
    }

    @Test
    void hedgeDoesNotWaitForOrdinaryReads() throws Exception {
        server.thenStallAfter(1, 1000);
        ChunkStore store = store(PATIENT);
        List<ChunkReader> holders = holders(store);
        ticker.advance(Duration.ofMinutes(1));
        ChunkReader waiting = store.read(chunk, new ByteRange(0, 1000));
        CompletableFuture<CloudMwException> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(CloudMwException.class, () -> waiting.read(ByteBuffer.allocate(1))), thread);

        try (ChunkReader extra = store.readExtra(chunk, new ByteRange(0, 1000))) {
            assertThat(extra.read(ByteBuffer.allocate(1))).isEqualTo(1);
        }
        assertThat(failure)
                .as("one ordinary read at a time takes the other way, however long")
                .isNotDone();

        waiting.close();
        assertThat(failure.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.CANCELLED);
        holders.forEach(ChunkReader::close);
    }

    @Test
    void ordinaryReadsLeaveAConnectionForHedges() throws Exception {
        List<Integer> ports = new CopyOnWriteArrayList<>();
        server.unscripted(exchange -> {
            ports.add(exchange.getRemoteAddress().getPort());
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-9/10");
            exchange.sendResponseHeaders(206, 10);
            exchange.getResponseBody().write(new byte[10]);
        });
        ChunkStore store = store(NORMAL);
        Chunks.read(store, chunk, 0, 10);
        Chunks.read(store, chunk, 0, 10);
        try (ChunkReader extra = store.readExtra(chunk, new ByteRange(0, 10))) {
            Chunks.readAll(extra);
        }
        ticker.advance(Duration.ofSeconds(HedgeClient.WARM_SECONDS).minusNanos(1));
        Chunks.read(store, chunk, 0, 10);
        ticker.advance(Duration.ofNanos(1));
        Chunks.read(store, chunk, 0, 10);

        int warm = ports.get(0);
        assertThat(ports.get(1)).isNotEqualTo(warm);
        assertThat(ports).containsExactly(warm, ports.get(1), warm, ports.get(1), warm);
    }

    @Test
    void ordinaryReadsKeepExtraConnectionsOpenAndUseAtMostHalfOfThem() throws Exception {
        List<Integer> ports = new CopyOnWriteArrayList<>();
        server.unscripted(exchange -> {
            ports.add(exchange.getRemoteAddress().getPort());
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-9/10");
            exchange.sendResponseHeaders(206, 10);
            exchange.getResponseBody().write(new byte[10]);
        });
        ChunkStore two = store(NORMAL.withConnections(8, 6, 2));
        readAtOnce(5, false, two);
        Set<Integer> ordinary = Set.copyOf(ports);
        ports.clear();
        readAtOnce(3, true, two);
        assertThat(ports).as("two were open").filteredOn(ordinary::contains).hasSize(2);

        ports.clear();
        ChunkStore most = store(NORMAL.withConnections(8, 6, 6));
        readAtOnce(5, false, most);
        Set<Integer> before = Set.copyOf(ports);
        ports.clear();
        readAtOnce(6, true, most);
        assertThat(ports).as("half of six were").filteredOn(before::contains).hasSize(3);
    }

    /** Opens so many reads, each of which has its response before any ends. */
    private void readAtOnce(int count, boolean extra, ChunkStore store) throws Exception {
        List<ChunkReader> readers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ByteRange range = new ByteRange(0, 10);
            ChunkReader reader = extra ? store.readExtra(chunk, range) : store.read(chunk, range);
            assertThat(reader.read(ByteBuffer.allocate(1))).isEqualTo(1);
            readers.add(reader);
        }
        for (ChunkReader reader : readers) {
            Chunks.readAll(reader);
            reader.close();
        }
    }

    /** So S3 refuses it, however often it is sent, when the sender was held up after its check. */
    @Test
    void deletionIsSignedWithATimeBeforeTheCheckOfItsDeadline() throws Exception {
        List<String> dates = new CopyOnWriteArrayList<>();
        thenThereAreThreeBytes().then(exchange -> {
            dates.add(exchange.getRequestHeaders().getFirst("X-Amz-Date"));
            exchange.sendResponseHeaders(dates.size() < 2 ? 503 : 204, -1);
        });
        Instant asked = Instant.parse("2026-01-02T03:04:05Z");
        civilMillis = asked.toEpochMilli();

        assertThat(store(NORMAL).delete(chunk, () -> {
                    civilMillis = asked.plus(Duration.ofHours(1)).toEpochMilli();
                    return false;
                }))
                .isTrue();
        assertThat(dates).containsExactly("20260102T030405Z", "20260102T030405Z");
    }

    private ScriptedHttpServer thenThereAreThreeBytes() {
        return server.then(exchange -> {
            exchange.getResponseHeaders().set("Content-Length", "3");
            exchange.sendResponseHeaders(200, -1);
        });
    }

    @Test
    void lateDeletionIsNotSent() throws Exception {
        thenThereAreThreeBytes();

        assertFails(ErrorCode.DEADLINE_EXCEEDED, () -> store(NORMAL).delete(chunk, () -> true));
        assertThat(methods()).containsExactly("HEAD");
    }

    @Test
    void anAnswerThatBreaksOffIsUnavailable() {
        server.thenBreakAfter(100, 1000);

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(NORMAL), chunk, 0, 1000));
    }

    @Test
    void answerThatIgnoresTheRangeIsRefused() {
        server.then(exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write(new byte[1000]);
        });

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(NORMAL), chunk, 10, 10));
    }

    @Test
    void aRangeThatReachesBeyondTheObjectIsRefused() {
        server.thenStallAfter(100, 100);

        assertFails(ErrorCode.INVALID_ARGUMENT, () -> Chunks.read(store(NORMAL), chunk, 0, 200));
    }

    @Test
    void aPortWithoutAListenerIsUnavailable() {
        server.close();

        assertFails(ErrorCode.STORE_UNAVAILABLE, () -> Chunks.read(store(NORMAL), chunk, 0, 10));
    }

    @Test
    void closingAReaderThatWaitsForItsFirstByteCancelsIt() throws Exception {
        server.thenSilence();
        assertCloseCancels(store(PATIENT).read(chunk, new ByteRange(0, 1000)));
    }

    @Test
    void closingAReaderInTheMiddleCancelsIt() throws Exception {
        server.thenStallAfter(100, 1000);
        ChunkReader reader = store(PATIENT).read(chunk, new ByteRange(0, 1000));
        ByteBuffer target = ByteBuffer.allocate(1000);
        while (target.position() < 100) {
            reader.read(target);
        }
        assertCloseCancels(reader);
    }

    @Test
    void aPresignedUrlNamesTheObjectAndExpiresButHasNoSecret() throws Exception {
        store(NORMAL);
        URI url = opened.get(0).presign(description(), chunk, Duration.ofMinutes(10));

        assertThat(url.toString())
                .startsWith(
                        server.uri() + "/bucket/p/chunks/" + chunk.toString().substring(0, 2) + "/" + chunk + "?")
                .contains("X-Amz-Expires=600")
                .doesNotContain("secret");
    }

    @Test
    void storesThatAreNoBucketsOrHaveNoUsableEndpointAreRefused() {
        S3Stores stores = S3Stores.open(NORMAL, "key", "secret");
        opened.add(stores);
        Store disk = new Store(new StoreId("d"), "z", new Store.Disk(new HelperId("h"), Path.of("/nowhere")));
        Store odd = new Store(new StoreId("o"), "z", new Store.S3("b", "r", "127.0.0.1:9000", true, ""));

        assertFails(ErrorCode.INVALID_ARGUMENT, () -> stores.open(disk));
        assertFails(ErrorCode.INVALID_ARGUMENT, () -> stores.open(odd));
    }

    private void assertCloseCancels(ChunkReader reader) throws Exception {
        CompletableFuture<CloudMwException> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(CloudMwException.class, () -> reader.read(ByteBuffer.allocate(1000))),
                thread);
        Awaitility.await().until(() -> !server.requests().isEmpty());

        reader.close();

        assertThat(failure.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    private void assertReadFails(int status, String code, ErrorCode expected) {
        try (ScriptedHttpServer scripted = new ScriptedHttpServer()) {
            scripted.thenError(status, code);
            server.close();
            server = scripted;
            assertFails(expected, () -> Chunks.read(store(NORMAL), chunk, 0, 10));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertFails(ErrorCode expected, ThrowingCallable call) {
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
        assertThat(failure.code()).as(failure.toString()).isEqualTo(expected);
    }

    private static String crc32c(byte[] bytes) throws CloudMwException {
        return new S3Put(Chunks.id(), Chunks.source(bytes)).crc32c();
    }

    private PutOutcome put(S3Settings settings) throws CloudMwException {
        return store(settings).put(chunk, Chunks.source(new byte[100]));
    }

    private ChunkStore store(S3Settings settings) throws CloudMwException {
        S3Stores stores = S3Stores.open(settings, "key", "secret");
        opened.add(stores);
        return stores.open(description(), slept::add, ticker, () -> civilMillis);
    }

    private Store description() {
        return new Store(
                new StoreId("s3"),
                "z",
                new Store.S3("bucket", "us-east-1", server.uri().toString(), true, "p/"));
    }

    private List<String> methods() {
        return server.requests().stream()
                .map(r -> r.substring(0, r.indexOf(' ')))
                .toList();
    }
}
