package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.FileChunkSource;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.store.error.S3ErrorResponse;
import io.cloudmw.core.store.error.S3Fault;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.RawHttpServer;
import io.cloudmw.core.testing.store.RawHttpServer.Exchange;
import io.cloudmw.core.testing.store.RawHttpServer.Handler;
import io.cloudmw.core.time.WallClock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of servers that do not wait, do not finish, or refuse, with the number of requests each costs. */
final class S3AnswersTest {
    private static final int TRIES = 2;
    /** Far more bytes than the buffers of two sockets. */
    private static final int LARGE = 16 << 20;

    private static final S3Settings SETTINGS = new S3Settings(
            Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofMinutes(2), 1 << 20, 4, 2, 1, TRIES);
    private static final S3Settings IMPATIENT = new S3Settings(
            Duration.ofSeconds(30), Duration.ofMillis(300), Duration.ofMinutes(2), 1 << 20, 4, 2, 1, TRIES);

    private final ChunkId chunk = Chunks.id();
    private final byte[] content = Chunks.bytes(7, LARGE);
    private Optional<RawHttpServer> server = Optional.empty();
    private Optional<S3Stores> stores = Optional.empty();

    @AfterEach
    void close() throws IOException {
        stores.ifPresent(S3Stores::close);
        if (server.isPresent()) {
            server.get().close();
        }
    }

    /** S3 refuses instead of sending 100. */
    @ParameterizedTest
    @CsvSource({
        "403, SignatureDoesNotMatch, STORE_DENIED, the secret key is not the access key's",
        "403, InvalidAccessKeyId, STORE_DENIED, does not know the access key",
        "404, XAdminUserNotFound, STORE_DENIED, does not know the access key",
        "403, AccessDenied, STORE_DENIED, the key may not do this",
        "401, Unauthorized, STORE_DENIED, the key may not do this",
        "400, InvalidRequest, STORE_DENIED, the server refuses the request",
        "400, ExpiredToken, STORE_DENIED, the credentials are expired",
        "400, InvalidBucketName, STORE_DENIED, no bucket can have this name",
        "404, NoSuchBucket, STORE_UNAVAILABLE, there is no such bucket",
        "405, MethodNotAllowed, STORE_DENIED, does not offer this operation",
    })
    void aRefusalInsteadOfContinueIsTheAnswerAndIsNotTriedAgain(
            int status, String code, ErrorCode expected, String words) throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> {
            assertThat(exchange.expectsContinue()).isTrue();
            exchange.error(status, code);
        });

        CloudMwException failure = putFails(store);

        assertRefused(failure, expected, status + " " + code, words);
        assertThat(methods()).containsExactly("PUT");
    }

    /** versitygw reads a little, responds and closes, whatever the client expects. The client's write breaks. */
    @ParameterizedTest
    @CsvSource({
        "403, SignatureDoesNotMatch, STORE_DENIED, the secret key is not the access key's",
        "404, XAdminUserNotFound, STORE_DENIED, does not know the access key",
        "403, AccessDenied, STORE_DENIED, the key may not do this",
        "401, Unauthorized, STORE_DENIED, the key may not do this",
        "400, InvalidRequest, STORE_DENIED, the server refuses the request",
        "404, NoSuchBucket, STORE_UNAVAILABLE, there is no such bucket",
        "405, MethodNotAllowed, STORE_DENIED, does not offer this operation",
    })
    void aRefusalThatBreaksTheWriteIsReadAllTheSame(int status, String code, ErrorCode expected, String words)
            throws Exception {
        ChunkStore store = store(SETTINGS, early(exchange -> exchange.error(status, code)));

        CloudMwException failure = putFails(store);

        assertRefused(failure, expected, status + " " + code, words);
        assertThat(methods()).as("the whole chunk once, its beginning once").containsExactly("PUT", "PUT");
    }

    /** LocalStack responds, stops reading and keeps the connection. The client's write stalls. */
    @ParameterizedTest
    @CsvSource({
        "403, SignatureDoesNotMatch, STORE_DENIED, the secret key is not the access key's",
        "404, NoSuchBucket, STORE_UNAVAILABLE, there is no such bucket",
    })
    void refusalThatStallsTheWriteIsTheAnswer(int status, String code, ErrorCode expected, String words)
            throws Exception {
        ChunkStore store =
                store(SETTINGS, early(exchange -> exchange.error(status, code).stall()));

        assertRefused(putFails(store), expected, status + " " + code, words);
        assertThat(methods()).as("the whole chunk once, its beginning once").containsExactly("PUT", "PUT");
    }

    @Test
    void chunkThatIsThereIsASuccessThoughTheWriteStalls() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> {
            thereWith(content.length, crc32c(content)).handle(exchange);
            exchange.stall();
        });

        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
        assertThat(methods()).containsExactly("PUT", "PUT", "HEAD");
    }

    /** The question about a stalled write gets no response; the whole chunk is stored when the server reads on. */
    @Test
    void writeThatStallsAndGoesOnIsStored() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicInteger count = new AtomicInteger();
        ChunkStore store = store(IMPATIENT, exchange -> {
            exchange.goOn();
            if (count.incrementAndGet() == 1) {
                await(asked);
                exchange.read(Integer.parseInt(exchange.header("Content-Length").orElseThrow()))
                        .answer(200);
            } else {
                asked.countDown();
                exchange.stall();
            }
        });

        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(methods()).containsExactly("PUT", "PUT");
    }

    @Test
    void failedPutIsRetriedWithAndWithoutItsCondition() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> {
            if (exchange.method().equals("PUT")) {
                exchange.error(501, "NotImplemented");
            } else {
                exchange.answer(exchange.path().equals("/pictures") ? 200 : 404);
            }
        });

        assertRefused(putFails(store), ErrorCode.STORE_DENIED, "501 NotImplemented", "does not offer this operation");
        assertThat(methods()).filteredOn("PUT"::equals).hasSize(2);
        assertThat(methods()).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void brokenPutOfAnExistingChunkSucceeds() throws Exception {
        ChunkStore store = store(SETTINGS, thereWith(content.length, crc32c(content)));

        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
        assertThat(methods()).containsExactly("PUT", "PUT", "HEAD");
    }

    /** A spooled chunk is a file, whose stream goes back to its beginning only by being opened again. */
    @Test
    void aSpooledChunkThatExistsIsASuccessAlthoughTheWriteBroke(@TempDir Path directory) throws Exception {
        ChunkStore store = store(SETTINGS, thereWith(content.length, crc32c(content)));

        try (FileChannel spooled = FileChannel.open(Files.write(directory.resolve("spooled"), content))) {
            assertThat(store.put(chunk, FileChunkSource.of(spooled, content.length)))
                    .isEqualTo(PutOutcome.EXISTED);
        }
        assertThat(methods()).containsExactly("PUT", "PUT", "HEAD");
    }

    @Test
    void anObjectWithOtherContentIsNotTakenForTheChunk() throws Exception {
        ChunkStore store = store(SETTINGS, thereWith(content.length, crc32c(new byte[content.length])));

        CloudMwException failure = putFails(store);

        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(failure.verdict()).isEqualTo(RetryVerdict.NEVER);
        assertThat(failure)
                .hasMessageContaining("has other content")
                .hasMessageContaining(crc32c(content))
                .hasMessageContaining(crc32c(new byte[content.length]));
        assertThat(methods()).containsExactly("PUT", "PUT", "HEAD");
    }

    @Test
    void anObjectOfAnotherLengthIsNotTakenForTheChunk() throws Exception {
        ChunkStore store = store(SETTINGS, thereWith(10, ""));

        assertThat(putFails(store)).hasMessageContaining("10 bytes");
        assertThat(methods()).containsExactly("PUT", "PUT", "HEAD");
    }

    @Test
    void anObjectWithoutAChecksumIsReadToCompareIt() throws Exception {
        byte[] small = Chunks.bytes(3, 1000);
        ChunkStore store = store(SETTINGS, exchange -> {
            switch (exchange.method()) {
                case "PUT" -> exchange.readAll().error(412, "PreconditionFailed");
                case "HEAD" -> exchange.promise(200, small.length);
                default -> {
                    exchange.promise(206, small.length, "Content-Range: bytes 0-999/1000");
                    exchange.write(new String(small, StandardCharsets.ISO_8859_1));
                }
            }
        });

        assertThat(store.put(chunk, Chunks.source(small))).isEqualTo(PutOutcome.EXISTED);
        assertThat(catchThrowableOfType(CloudMwException.class, () -> store.put(chunk, Chunks.source(new byte[1000]))))
                .hasMessageContaining("has other content");
        assertThat(methods()).containsExactly("PUT", "HEAD", "GET", "PUT", "HEAD", "GET");
    }

    @Test
    void serverThatAlwaysResetsIsUnavailableAfterItsRetries() throws Exception {
        ChunkStore store = store(
                SETTINGS, broken(exchange -> exchange.answer(exchange.path().equals("/pictures") ? 200 : 404)));

        CloudMwException failure = putFails(store);

        assertUnavailable(failure);
        assertThat(methods())
                .as("each try and what it would be answered; whether the object is there, and the bucket")
                .containsExactly("PUT", "PUT", "PUT", "PUT", "HEAD", "HEAD");
    }

    @Test
    void aServerThatOnlyBreaksPutsOfAMissingBucketNamesIt() throws Exception {
        ChunkStore store = store(SETTINGS, broken(exchange -> exchange.error(404, "NoSuchBucket")));

        assertRefused(putFails(store), ErrorCode.STORE_UNAVAILABLE, "404", "there is no such bucket");
        assertThat(methods()).containsExactly("PUT", "PUT", "PUT", "PUT", "HEAD", "HEAD");
    }

    @Test
    void putThatBreaksAfterTheObjectIsStoredSucceeds() throws Exception {
        ChunkStore store = store(SETTINGS, broken(thereWith(content.length, crc32c(content))));

        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
        assertThat(methods()).containsExactly("PUT", "PUT", "PUT", "PUT", "HEAD", "HEAD");
    }

    @Test
    void brokenConnectionIsRetried() throws Exception {
        AtomicInteger count = new AtomicInteger();
        ChunkStore store = store(SETTINGS, exchange -> {
            if (count.incrementAndGet() <= 2) {
                exchange.read(8192).reset();
            } else {
                exchange.readAll().answer(200);
            }
        });

        assertThat(store.put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(methods()).containsExactly("PUT", "PUT", "PUT");
    }

    @Test
    void aResetInTheMiddleOfAnAnswerIsUnavailable() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> {
            exchange.promise(206, 1000, "Content-Range: bytes 0-999/1000").write("x".repeat(100));
            exchange.reset();
        });

        assertUnavailable(readFails(store, 1000));
        assertThat(methods()).hasSizeBetween(1, TRIES);
    }

    @Test
    void aBodyThatIsTruncatedIsUnavailable() throws Exception {
        ChunkStore store = store(
                SETTINGS,
                exchange -> exchange.promise(206, 1000, "Content-Range: bytes 0-999/1000")
                        .write("x".repeat(100)));

        assertUnavailable(readFails(store, 1000));
        assertThat(methods()).containsExactly("GET");
    }

    @Test
    void aBodyThatStallsIsUnavailable() throws Exception {
        ChunkStore store = store(IMPATIENT, exchange -> {
            exchange.promise(206, 1000, "Content-Range: bytes 0-999/1000").write("x".repeat(100));
            exchange.stall();
        });

        assertUnavailable(readFails(store, 1000));
        assertThat(methods()).containsExactly("GET");
    }

    @Test
    void truncatedErrorBodyIsJudgedByItsStatus() throws Exception {
        ChunkStore store =
                store(SETTINGS, exchange -> exchange.promise(403, 500).write("<?xml version=\"1.0\"?><Error><Co"));

        CloudMwException failure = readFails(store, 10);

        assertThat(failure.code()).isIn(ErrorCode.STORE_DENIED, ErrorCode.STORE_UNAVAILABLE);
        assertThat(methods()).hasSizeBetween(1, TRIES);
    }

    @Test
    void errorWithAStalledBodyIsAbandoned() throws Exception {
        ChunkStore store =
                store(IMPATIENT, exchange -> exchange.promise(403, 500).stall());

        CloudMwException failure = readFails(store, 10);

        assertThat(failure.code()).isIn(ErrorCode.STORE_DENIED, ErrorCode.STORE_UNAVAILABLE);
        assertThat(methods()).hasSizeBetween(1, TRIES);
    }

    @Test
    void throttledRequestIsRetriedAfterThePause() throws Exception {
        AtomicInteger count = new AtomicInteger();
        ChunkStore store = store(SETTINGS, exchange -> {
            exchange.readAll();
            if (count.incrementAndGet() == 1) {
                exchange.error(503, "SlowDown", "Retry-After: 1");
            } else {
                exchange.answer(200);
            }
        });

        assertThat(store.put(chunk, Chunks.source(new byte[10]))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(methods()).containsExactly("PUT", "PUT");
    }

    @Test
    void serverThatThrottlesForeverIsUnavailable() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> exchange.error(503, "SlowDown", "Retry-After: 3600"));

        CloudMwException failure = readFails(store, 10);

        assertUnavailable(failure);
        assertThat(failure).hasMessageContaining("503 SlowDown").hasMessageContaining("asks for fewer requests");
        assertThat(methods()).hasSize(TRIES);
    }

    /** Seconds are waited for, five at most; a date or anything else counts as the longest wait. */
    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "3, 3",
        "5, 5",
        "6, 5",
        "3600, 5",
        "99999999999999999999, 5",
        "'Wed, 21 Oct 2099 07:28:00 GMT', 5",
        "-1, 5"
    })
    void thePauseThatAServerAsksForIsKeptUpToABound(String asked, long seconds) throws Exception {
        List<Duration> pauses = RecordedPauses.list();
        AtomicInteger count = new AtomicInteger();
        ChunkStore store = store(recording(pauses), exchange -> {
            exchange.readAll();
            if (count.incrementAndGet() == 1) {
                exchange.error(503, "SlowDown", "Retry-After: " + asked);
            } else {
                exchange.answer(200);
            }
        });

        assertThat(store.put(chunk, Chunks.source(new byte[10]))).isEqualTo(PutOutcome.WRITTEN);

        assertThat(pauses).containsExactly(Duration.ofSeconds(seconds));
        assertThat(methods()).containsExactly("PUT", "PUT");
    }

    @Test
    void retryDelaysAreBoundedWhenAServerKeepsAsking() throws Exception {
        List<Duration> pauses = RecordedPauses.list();
        ChunkStore store =
                store(recording(pauses), exchange -> exchange.readAll().error(503, "SlowDown", "Retry-After: 3600"));

        assertUnavailable(putFails(store));

        assertThat(pauses).hasSize(TRIES - 1).containsOnly(EarlyAnswerHttpClient.LONGEST_RETRY_AFTER);
    }

    private static S3Stores recording(List<Duration> pauses) {
        return S3Stores.open(SETTINGS, "key", "secret", strategy -> RecordedPauses.of(strategy, pauses));
    }

    @Test
    void putDamagedInTransitIsUnavailable() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> exchange.readAll().error(400, "BadDigest"));

        CloudMwException failure = putFails(store);

        assertUnavailable(failure);
        assertThat(failure).hasMessageContaining("400 BadDigest").hasMessageContaining("damaged");
        assertThat(methods()).containsExactly("PUT");
    }

    @Test
    void wrongClockIsReportedWithItsOffset() throws Exception {
        ChunkStore store = store(
                SETTINGS,
                exchange -> exchange.error(
                        403,
                        "RequestTimeTooSkewed",
                        RawHttpServer.date(
                                Instant.ofEpochMilli(WallClock.system().millis())
                                        .minus(Duration.ofMinutes(90)))));

        CloudMwException failure = readFails(store, 10);

        assertRefused(failure, ErrorCode.STORE_DENIED, "403 RequestTimeTooSkewed", " min ahead of the server's");
        Duration ahead =
                S3Stores.answer(failure).flatMap(S3ErrorResponse::clockAhead).orElseThrow();
        assertThat(ahead).isBetween(Duration.ofMinutes(90).minusSeconds(2), Duration.ofMinutes(100));
        assertThat(methods()).hasSizeBetween(1, TRIES);
    }

    @Test
    void aRedirectToAnotherRegionNamesTheRightOne() throws Exception {
        ChunkStore store = store(
                SETTINGS, exchange -> exchange.error(301, "PermanentRedirect", "x-amz-bucket-region: eu-central-1"));

        assertNamesRegion(putFails(store), "301 PermanentRedirect");
        assertNamesRegion(readFails(store, 10), "301 PermanentRedirect");
        assertThat(methods()).containsExactly("PUT", "GET");
    }

    @Test
    void aSignatureForAnotherRegionNamesTheRightOne() throws Exception {
        String text = "<Error><Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed;"
                + " the region 'us-east-1' is wrong; expecting 'eu-central-1'</Message></Error>";
        ChunkStore store = store(SETTINGS, early(exchange -> exchange.text(400, text)));

        assertNamesRegion(putFails(store), "400 AuthorizationHeaderMalformed");
        assertThat(methods()).containsExactly("PUT", "PUT");
    }

    @Test
    void eachKindOfRequestIsRefusedAlikeAndOnce() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> exchange.readAll().error(403, "SignatureDoesNotMatch"));

        List<ThrowingCallable> calls = List.of(
                () -> store.put(chunk, Chunks.source(new byte[10])),
                () -> Chunks.read(store, chunk, 0, 10),
                () -> store.length(chunk),
                () -> store.delete(chunk),
                () -> store.list("", 10));
        for (ThrowingCallable call : calls) {
            assertRefused(
                    catchThrowableOfType(CloudMwException.class, call),
                    ErrorCode.STORE_DENIED,
                    "403 SignatureDoesNotMatch",
                    "the secret key is not the access key's");
        }
        assertThat(methods())
                .as("an answer to HEAD does not say why; a GET of a byte does")
                .containsExactly("PUT", "GET", "HEAD", "GET", "HEAD", "GET", "GET");
    }

    @Test
    void missingBucketIsNamedByEachKindOfRequest() throws Exception {
        ChunkStore store = store(SETTINGS, exchange -> exchange.readAll().error(404, "NoSuchBucket"));

        List<ThrowingCallable> calls = List.of(
                () -> store.put(chunk, Chunks.source(new byte[10])),
                () -> Chunks.read(store, chunk, 0, 10),
                () -> store.length(chunk),
                () -> store.delete(chunk),
                () -> store.list("", 10));
        for (ThrowingCallable call : calls) {
            CloudMwException failure = catchThrowableOfType(CloudMwException.class, call);
            assertRefused(failure, ErrorCode.STORE_UNAVAILABLE, "404", "there is no such bucket");
        }
        assertThat(methods()).containsExactly("PUT", "GET", "HEAD", "HEAD", "HEAD", "HEAD", "GET");
    }

    @Test
    void aPortWithoutAListenerIsUnreachableAndNamesTheEndpoint() throws Exception {
        ChunkStore store = store(SETTINGS, Exchange::stall);
        server.orElseThrow().close();

        CloudMwException failure = putFails(store);

        assertUnavailable(failure);
        assertThat(failure)
                .hasMessageContaining(server.orElseThrow().uri().toString())
                .hasMessageContaining("connection refused");
        assertThat(S3Stores.fault(failure)).hasValue(S3Fault.UNREACHABLE);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Resets each put in the middle of its body, and answers all else. */
    private static Handler broken(Handler others) {
        return exchange -> {
            if (exchange.method().equals("PUT")) {
                exchange.goOn().read(8192).reset();
            } else {
                others.handle(exchange);
            }
        };
    }

    private static Handler early(Handler answer) {
        return exchange -> {
            if (exchange.method().equals("PUT")) {
                exchange.goOn().read(8192);
            }
            answer.handle(exchange);
        };
    }

    private Handler thereWith(int length, String crc32c) {
        return early(exchange -> {
            if (exchange.method().equals("PUT")) {
                exchange.error(412, "PreconditionFailed");
            } else {
                exchange.promise(200, length, "x-amz-checksum-crc32c: " + crc32c, "x-amz-checksum-type: FULL_OBJECT");
            }
        });
    }

    private static String crc32c(byte[] bytes) throws CloudMwException {
        return new S3Put(Chunks.id(), Chunks.source(bytes)).crc32c();
    }

    private CloudMwException putFails(ChunkStore store) {
        return catchThrowableOfType(CloudMwException.class, () -> store.put(chunk, Chunks.source(content)));
    }

    private CloudMwException readFails(ChunkStore store, int length) {
        return catchThrowableOfType(CloudMwException.class, () -> Chunks.read(store, chunk, 0, length));
    }

    private static void assertRefused(CloudMwException failure, ErrorCode code, String answer, String words) {
        Consumer<CloudMwException> names = known -> assertThat(known)
                .hasMessageContaining("store=s3 bucket=pictures: ")
                .hasMessageContaining(answer)
                .hasMessageContaining(words);
        assertThat(failure).satisfies(names);
        assertThat(failure.code()).as(failure.toString()).isEqualTo(code);
        assertThat(failure.verdict()).isEqualTo(RetryVerdict.NEVER);
    }

    private static void assertNamesRegion(CloudMwException failure, String answer) {
        assertRefused(failure, ErrorCode.STORE_DENIED, answer, "in region eu-central-1, the store says us-east-1");
        assertThat(S3Stores.answer(failure).map(S3ErrorResponse::region)).hasValue("eu-central-1");
        assertThat(S3Stores.fault(failure)).hasValue(S3Fault.WRONG_REGION);
    }

    private static void assertUnavailable(CloudMwException failure) {
        assertThat(failure.code()).as(failure.toString()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure.verdict()).isEqualTo(RetryVerdict.OTHER_REPLICA);
        assertThat(failure).hasMessageContaining("store=s3 bucket=pictures: ");
    }

    private List<String> methods() {
        return server.orElseThrow().methods();
    }

    private ChunkStore store(S3Settings settings, Handler handler) throws IOException {
        return store(S3Stores.open(settings, "key", "secret"), handler);
    }

    private ChunkStore store(S3Stores opened, Handler handler) throws IOException {
        RawHttpServer started = new RawHttpServer(handler);
        server = Optional.of(started);
        stores = Optional.of(opened);
        return opened.open(new Store(
                new StoreId("s3"),
                "z",
                new Store.S3("pictures", "us-east-1", started.uri().toString(), true, "p/")));
    }
}
