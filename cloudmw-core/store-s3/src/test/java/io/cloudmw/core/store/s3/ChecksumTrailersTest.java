package io.cloudmw.core.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import io.cloudmw.core.time.WallClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a server that answers a PUT and a HEAD as each test wants. */
final class ChecksumTrailersTest {
    private static final int CHECKED_BYTES = "cloudmw checks whether a checksum may follow its body".length();

    private final FakeTicker ticker = new FakeTicker();
    private final S3Stores stores = S3Stores.open(S3Settings.DEFAULT, "key", "secret");
    /** For each PUT: its checksum header, then the name of its trailer, or null. */
    private final List<List<String>> puts = new CopyOnWriteArrayList<>();

    private ScriptedHttpServer server;
    private int putStatus = 200;
    private int keptBytes = CHECKED_BYTES;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedHttpServer().unscripted(this::answer);
    }

    @AfterEach
    void close() {
        stores.close();
        server.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                puts.add(List.of(header(exchange, "x-amz-checksum-crc32c"), header(exchange, "x-amz-trailer")));
                exchange.sendResponseHeaders(putStatus, -1);
            }
            case "HEAD" -> {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(keptBytes));
                exchange.sendResponseHeaders(200, -1);
            }
            default -> exchange.sendResponseHeaders(204, -1);
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    private ChunkStore store() throws Exception {
        return stores.open(
                new Store(
                        new StoreId("s3"),
                        "z",
                        new Store.S3("bucket", "us-east-1", server.uri().toString(), true, "p/")),
                ticker,
                ticker,
                WallClock.system());
    }

    @Test
    void serverThatTakesTrailersIsAskedOnceForAllItsBuckets() throws Exception {
        ChunkStore store = store();

        assertThat(store.takesArrivingSources()).isTrue();
        assertThat(server.requests()).hasSize(3).element(0).asString().startsWith("PUT /bucket/p/cloudmw-probe-");
        assertThat(server.requests()).element(2).asString().startsWith("DELETE /bucket/p/cloudmw-probe-");
        assertThat(store().takesArrivingSources()).isTrue();
        assertThat(server.requests()).hasSize(3);

        assertThat(store.put(Chunks.id(), Chunks.source("content".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(PutOutcome.WRITTEN);
        assertThat(puts).last().isEqualTo(List.of("", "x-amz-checksum-crc32c"));
    }

    @Test
    void serverThatRefusesTrailersGetsChecksumsInHeaders() throws Exception {
        putStatus = 501;
        assertChecksumsInHeaders();
    }

    @Test
    void serverThatKeepsTheFramingOfBodiesGetsChecksumsInHeaders() throws Exception {
        keptBytes = CHECKED_BYTES + 87;
        assertChecksumsInHeaders();
    }

    private void assertChecksumsInHeaders() throws Exception {
        ChunkStore store = store();
        assertThat(store.takesArrivingSources()).isFalse();
        putStatus = 200;
        ticker.advance(Duration.ofHours(1));
        assertThat(store.takesArrivingSources()).isFalse();
        assertThat(puts).hasSize(1);

        byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        assertThat(store.put(Chunks.id(), Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(puts).last().isEqualTo(List.of(new S3Put(Chunks.id(), Chunks.source(content)).crc32c(), ""));
    }

    @Test
    void serverThatIsBusyIsAskedAgainAfterAMinute() throws Exception {
        putStatus = 503;
        ChunkStore store = store();
        assertThat(store.takesArrivingSources()).isFalse();
        int asked = puts.size();

        putStatus = 200;
        assertThat(store.takesArrivingSources()).isFalse();
        assertThat(puts).hasSize(asked);

        ticker.advance(Duration.ofMinutes(1));
        assertThat(store.takesArrivingSources()).isTrue();
    }
}
