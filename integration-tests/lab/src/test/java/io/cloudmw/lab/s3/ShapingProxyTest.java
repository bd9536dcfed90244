package io.cloudmw.lab.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.emulation.StorePace;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShapingProxyTest {
    private static final int SIZE = 3_000_017;

    @TempDir
    private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final byte[] content = new byte[SIZE];
    private BucketServer server;
    private ShapingProxy proxy;
    private ShapedStore store;

    @BeforeEach
    void start() throws Exception {
        new Random(1).nextBytes(content);
        server = new BucketServer(directory, InetAddress.getLoopbackAddress());
        proxy = new ShapingProxy(server.endpoint());
        store = proxy.listen();
        assertThat(put("/bucket", new byte[0]).statusCode()).isEqualTo(200);
        assertThat(put("/bucket/a/key", content).statusCode()).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(store.endpoint() + path)).timeout(Duration.ofSeconds(60));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private HttpResponse<byte[]> put(String path, byte[] body) throws Exception {
        return send(request(path).PUT(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private HttpResponse<byte[]> get(String path) throws Exception {
        return send(request(path));
    }

    /**
     * Returns a pace on the machine's clock. Tests check only the least time that must pass, not the machine's speed.
     */
    private static StorePace pace(String law) {
        return new StorePace(StoreLaw.parse(law), Ticker.system());
    }

    @Test
    void everythingComesThroughAsItIs() throws Exception {
        assertThat(get("/bucket/a/key").body()).isEqualTo(content);
        HttpResponse<byte[]> ranged = send(request("/bucket/a/key").header("Range", "bytes=1000-1999999"));
        assertThat(ranged.statusCode()).isEqualTo(206);
        assertThat(ranged.body()).isEqualTo(Arrays.copyOfRange(content, 1000, 2_000_000));
        HttpResponse<byte[]> head = send(request("/bucket/a/key").method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.headers().firstValueAsLong("Content-Length")).hasValue(SIZE);
        assertThat(get("/bucket/none").statusCode()).isEqualTo(404);
        assertThat(get("/nowhere/none").statusCode()).isEqualTo(404);
        assertThat(get("/bucket/a/key").body()).isEqualTo(content);
    }

    @Test
    void partsAreGivenAsIfUploadedSo() throws Exception {
        byte[] large = new byte[(int) BucketServer.PART_BYTES + 5];
        new Random(2).nextBytes(large);
        put("/bucket/large", large);

        HttpResponse<byte[]> second = get("/bucket/large?partNumber=2");

        assertThat(second.headers().firstValue("x-amz-mp-parts-count")).hasValue("2");
        assertThat(second.body()).isEqualTo(Arrays.copyOfRange(large, large.length - 5, large.length));
        assertThat(get("/bucket/large?partNumber=3").statusCode()).isEqualTo(416);
    }

    @Test
    void anObjectIsPutOnceWhenSaidSo() throws Exception {
        HttpRequest.Builder again = request("/bucket/a/key")
                .header("If-None-Match", "*")
                .PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[1]));
        assertThat(send(again).statusCode()).isEqualTo(412);
        assertThat(get("/bucket/a/key").body()).isEqualTo(content);
    }

    @Test
    void chunkedBodiesAreDecoded() throws Exception {
        byte[] body =
                "5;chunk-signature=0\r\nhello\r\n7;chunk-signature=1\r\n, world\r\n0;chunk-signature=2\r\nx:y\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII);
        send(request("/bucket/chunked")
                .header("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                .PUT(HttpRequest.BodyPublishers.ofByteArray(body)));
        assertThat(new String(get("/bucket/chunked").body(), StandardCharsets.US_ASCII))
                .isEqualTo("hello, world");
    }

    @Test
    void aReadTakesAtLeastTheTimeOfItsLaw() throws Exception {
        StorePace pace = pace("10MiB/s");
        store.begin(List.of(pace));
        pace.elapsedNanos();

        assertThat(get("/bucket/a/key").body()).isEqualTo(content);

        // The body arrives when all pieces were sent. Pieces may be slightly early, since timers are not exact.
        assertThat(pace.elapsedNanos() / 1e9).isGreaterThan(SIZE / (double) (10 << 20) - 0.025);
        assertThat(store.end()).isEqualTo(new Traffic(1, SIZE));
    }

    @Test
    void lateResponseIsCountedOnceAndArrivesWhole() throws Exception {
        store.begin(List.of(pace("s3-tail,seed=1,time-scale=10"), pace("200MiB/s")));
        for (int i = 0; i < 20; i++) {
            assertThat(get("/bucket/a/key").body()).isEqualTo(content);
        }
        assertThat(get("/bucket/none").statusCode()).isEqualTo(404);
        Traffic crossed = store.end();
        assertThat(crossed.requests()).isEqualTo(21);
        assertThat(crossed.bytes()).isBetween(20L * SIZE, 20L * SIZE + 1000);
        assertThat(get("/bucket/a/key").body()).isEqualTo(content);
        assertThat(store.end()).isEqualTo(crossed);
    }

    private static InputStream askForHuge(Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write("GET /bucket/huge HTTP/1.1\r\nHost: lab\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket.getInputStream();
    }

    @Test
    void aClientThatDoesNotReadHoldsItsResponseBackAndOneThatHangsUpEndsIt() throws Exception {
        put("/bucket/huge", new byte[64 << 20]);
        store.begin(List.of());
        URI at = URI.create(store.endpoint());
        try (Socket socket = new Socket(at.getHost(), at.getPort())) {
            InputStream in = askForHuge(socket);
            assertThat(in.read()).isEqualTo('H');
            // The kernel's buffers fill up, and then no more bytes pass.
            long[] last = {-1};
            Awaitility.await().pollInterval(Duration.ofMillis(200)).until(() -> {
                long now = store.crossed().bytes();
                boolean still = now > 0 && now == last[0];
                last[0] = now;
                return still;
            });
            assertThat(last[0]).isLessThan(32 << 20);
        }
        long given = store.end().bytes();
        assertThat(get("/bucket/a/key").body()).isEqualTo(content);
        assertThat(given).isLessThan(32 << 20);
    }

    @Test
    void responseUnderWayAtTheEndOfARunIsNotCountedInTheNext() throws Exception {
        put("/bucket/huge", new byte[64 << 20]);
        store.begin(List.of());
        URI at = URI.create(store.endpoint());
        try (Socket socket = new Socket(at.getHost(), at.getPort())) {
            InputStream in = askForHuge(socket);
            assertThat(in.read()).isEqualTo('H');
            assertThat(store.end().requests()).isEqualTo(1);

            store.begin(List.of());
            in.skipNBytes(64 << 20);
            assertThat(get("/bucket/a/key").body()).isEqualTo(content);
            assertThat(store.end()).isEqualTo(new Traffic(1, SIZE));
        }
    }

    @Test
    void manyConnectionsAtOnceKeepTheirBytesApart() throws Exception {
        store.begin(List.of(pace("s3-tail,seed=3,time-scale=20")));
        List<java.util.concurrent.CompletableFuture<HttpResponse<byte[]>>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 32; i++) {
            all.add(http.sendAsync(
                    request("/bucket/a/key")
                            .header("Range", "bytes=" + i * 1000 + "-" + (i * 1000 + 500_000))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray()));
        }
        for (int i = 0; i < 32; i++) {
            assertThat(all.get(i).join().body()).isEqualTo(Arrays.copyOfRange(content, i * 1000, i * 1000 + 500_001));
        }
        assertThat(store.end()).isEqualTo(new Traffic(32, 32 * 500_001));
    }

    @Test
    void anEndpointThatIsNotThereClosesTheConnection() throws IOException {
        server.close();
        try (ShapingProxy lost = new ShapingProxy("http://127.0.0.1:1")) {
            ShapedStore nowhere = lost.listen();
            assertThatThrownBy(() -> http.send(
                            HttpRequest.newBuilder(URI.create(nowhere.endpoint() + "/bucket/a/key"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void onlyPlainHttpCanBeShaped() {
        assertThatThrownBy(() -> new ShapingProxy("https://s3.example.com"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://host:port");
    }
}
