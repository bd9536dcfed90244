package io.cloudmw.core.store.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import io.cloudmw.core.time.Ticker;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class HttpConnectionsTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final ScriptedHttpServer server = new ScriptedHttpServer();
    private final HttpConnections connections =
            new HttpConnections("test", new HttpTimeouts(LONG, LONG, LONG), Ticker.system());

    HttpConnectionsTest() throws IOException {}

    @AfterEach
    void close() {
        connections.close();
        server.close();
    }

    @Test
    void aConnectionThatClosesBeforeItsNextGetIsCountedOnce() {
        server.thenSilence();
        for (int i = 0; i < 3; i++) {
            begin(connections, new Failure());
        }
        HttpOrigin origin = HttpOrigin.of(server.uri());
        EmbeddedChannel channel = new EmbeddedChannel();
        HttpConnection closed = new HttpConnection(connections, origin, channel);
        channel.pipeline().addLast(closed);
        channel.close().syncUninterruptibly();
        assertThat(connections.open(origin)).isEqualTo(2);

        closed.send(new RangeGet(connections, server.uri(), new ByteRange(0, 1), "a chunk", new Failure()));
        channel.runPendingTasks();

        assertThat(connections.open(origin)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 500})
    void anAnswerWithoutAnEndThatIsNoRangeClosesTheConnection(int status) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        server.then(exchange -> {
            exchange.sendResponseHeaders(status, 0);
            byte[] piece = new byte[4096];
            try {
                while (true) {
                    exchange.getResponseBody().write(piece);
                }
            } catch (IOException e) {
                closed.countDown();
            }
        });
        Failure failure = new Failure();

        begin(connections, failure);

        assertThat(failure.await().code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(closed.await(40, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aGetDoesNotWaitForAConnectionForEver() throws Exception {
        server.thenSilence();
        try (HttpConnections few =
                new HttpConnections("test", new HttpTimeouts(LONG, LONG, Duration.ofMillis(1)), Ticker.system())) {
            for (int i = 0; i < HttpConnections.MAX_OPEN; i++) {
                begin(few, new Failure());
            }
            Failure failure = new Failure();

            begin(few, failure);

            assertThat(failure.await().code()).isEqualTo(ErrorCode.OVERLOADED);
            assertThat(failure.await()).hasMessageContaining("no connection").hasMessageContaining("1 ms");
        }
    }

    private void begin(HttpConnections over, Failure listener) {
        URI url = server.uri().resolve("/chunk");
        var unused = over.get(url, new ByteRange(0, 1000), "a chunk", listener);
    }

    /** A listener that waits for the failure of a GET. */
    private static final class Failure implements RangeListener {
        private final CompletableFuture<CloudMwException> failure = new CompletableFuture<>();

        @Override
        public void began(long chunkLength) {}

        @Override
        public void data(ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void ended() {
            failure.completeExceptionally(new IllegalStateException("the GET did not fail"));
        }

        @Override
        public void failed(CloudMwException cause) {
            failure.complete(cause);
        }

        CloudMwException await() throws Exception {
            return failure.get(40, TimeUnit.SECONDS);
        }
    }
}
