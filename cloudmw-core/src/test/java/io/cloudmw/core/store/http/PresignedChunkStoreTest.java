package io.cloudmw.core.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PresignedChunkStoreTest extends ChunkStoreContract {
    private static final HttpTimeouts PATIENT =
            new HttpTimeouts(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(5));
    private static final HttpTimeouts IMPATIENT =
            new HttpTimeouts(Duration.ofSeconds(1), Duration.ofMillis(300), Duration.ofMinutes(5));

    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final ScriptedHttpServer server = new ScriptedHttpServer();
    private final List<HttpConnections> connections = new CopyOnWriteArrayList<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    PresignedChunkStoreTest() throws IOException {}

    @Override
    protected ChunkStore create() {
        server.serving(objects);
        return store(PATIENT);
    }

    @Override
    protected boolean writes() {
        return false;
    }

    @Override
    protected void seed(ChunkStore into, ChunkId chunk, byte[] bytes) {
        objects.put("/" + chunk, bytes);
    }

    @Test
    void closedConnectionsLeaveNoThread() throws Exception {
        ChunkStore store = store();
        assertThat(store.length(seeded(new byte[1]))).hasValue(1);
        Set<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("test-http"))
                .collect(Collectors.toSet());
        assertThat(threads).isNotEmpty();

        connections.forEach(HttpConnections::close);

        Awaitility.await().until(() -> threads.stream().noneMatch(Thread::isAlive));
    }

    @AfterEach
    void stopServer() {
        thread.shutdownNow();
        server.close();
        connections.forEach(HttpConnections::close);
    }

    @Test
    void theLengthIsLearnedFromTheFirstByte() throws Exception {
        assertThat(store().length(seeded(new byte[777]))).hasValue(777);
    }

    @Test
    void aChunkWithoutAUrlIsMissing() {
        ChunkStore store = new PresignedChunkStore(new StoreId("p"), chunk -> Optional.empty(), connections(PATIENT));

        assertThat(failure(() -> Chunks.read(store, Chunks.id(), 0, 1)).code()).isEqualTo(ErrorCode.REPLICA_MISSING);
    }

    @Test
    void anExpiredUrlAsksForAFreshPlan() {
        server.then(exchange -> {
            byte[] body = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(403, body.length);
            exchange.getResponseBody().write(body);
        });
        CloudMwException failure = failure(() -> Chunks.read(store(), Chunks.id(), 0, 1));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(failure.verdict()).isEqualTo(RetryVerdict.AFTER_REFRESH);
    }

    @Test
    void eachAnswerHasItsCode() {
        server.thenError(404, "NoSuchBucket").thenError(403, "AccessDenied").thenError(500, "InternalError");

        assertReadFails(ErrorCode.STORE_UNAVAILABLE);
        assertReadFails(ErrorCode.STORE_DENIED);
        assertReadFails(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aSignatureNeverShowsInAMessage() {
        server.thenError(500, "InternalError");

        assertThat(failure(() -> Chunks.read(store(), Chunks.id(), 0, 1)).toString())
                .doesNotContain("sig=");
        server.close();
        assertThat(failure(() -> Chunks.read(store(), Chunks.id(), 0, 1)).toString())
                .doesNotContain("sig=");
    }

    @Test
    void aStoreThatIgnoresRangesIsNotBelieved() {
        server.then(exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write(new byte[100]);
        });
        assertReadFails(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void anAnswerThatBreaksOffIsUnavailable() {
        server.thenBreakAfter(100, 1000);

        assertThat(failure(() -> Chunks.read(store(), Chunks.id(), 0, 1000)).code())
                .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void silenceAndStallsAreUnavailable() {
        server.thenSilence().thenStallAfter(100, 1000);

        assertThat(failure(() -> Chunks.read(store(IMPATIENT), Chunks.id(), 0, 1000))
                        .code())
                .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure(() -> Chunks.read(store(IMPATIENT), Chunks.id(), 0, 1000))
                        .code())
                .isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aPortWithoutAListenerIsUnavailable() {
        server.close();

        assertReadFails(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void closingAReaderThatWaitsForItsFirstByteCancelsIt() throws Exception {
        server.thenSilence();

        assertCloseCancels(store().read(Chunks.id(), new ByteRange(0, 1000)), 0);
    }

    @Test
    void closingAReaderInTheMiddleCancelsIt() throws Exception {
        server.thenStallAfter(100, 1000);

        assertCloseCancels(store().read(Chunks.id(), new ByteRange(0, 1000)), 100);
    }

    private void assertReadFails(ErrorCode expected) {
        CloudMwException failure = failure(() -> Chunks.read(store(), Chunks.id(), 0, 1));
        assertThat(failure.code()).as(failure.toString()).isEqualTo(expected);
    }

    private void assertCloseCancels(ChunkReader reader, int sent) throws Exception {
        ByteBuffer target = ByteBuffer.allocate(1000);
        while (target.position() < sent) {
            reader.read(target);
        }
        CompletableFuture<CloudMwException> failure = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(CloudMwException.class, () -> reader.read(target)), thread);
        Awaitility.await().until(() -> !server.requests().isEmpty());

        reader.close();

        assertThat(failure.get(30, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.CANCELLED);
    }

    private ChunkStore store(HttpTimeouts timeouts) {
        return new PresignedChunkStore(
                new StoreId("presigned"),
                chunk -> Optional.of(URI.create(server.uri() + "/" + chunk + "?sig=secret")),
                connections(timeouts));
    }

    private HttpConnections connections(HttpTimeouts timeouts) {
        HttpConnections made = new HttpConnections("test", timeouts, Ticker.system());
        connections.add(made);
        return made;
    }
}
