package io.cloudmw.helper.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.coordinator.page.PageLogins;
import io.cloudmw.coordinator.page.ShownCluster;
import io.cloudmw.coordinator.page.ShownHelper;
import io.cloudmw.coordinator.page.ShownRead;
import io.cloudmw.coordinator.page.ShownTimeline;
import io.cloudmw.coordinator.page.ShownUpkeep;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.helper.http.HttpEndpoint;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class WebPageTest {
    private static final String TOKEN = "a-token-of-enough-letters";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Duration INTERVAL = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** More than the buffers of a connection hold. */
    private static final int MANY_HELPERS = 40_000;

    private final FakeSource source = new FakeSource();
    private final FakeTicker ticker = new FakeTicker();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private @Nullable WebPage started;
    private @Nullable HttpEndpoint served;

    /** A source of which the test sets what it answers. */
    private static final class FakeSource implements PageSource {
        private final AtomicInteger snapshots = new AtomicInteger();
        private volatile List<ShownHelper> helpers = List.of();
        private volatile Optional<CloudMwException> failure = Optional.empty();
        private volatile CountDownLatch gate = new CountDownLatch(0);
        private volatile String path = "/f";

        @Override
        public ShownCluster snapshot() throws CloudMwException {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
            }
            if (failure.isPresent()) {
                throw failure.get();
            }
            return new ShownCluster(
                    snapshots.incrementAndGet(),
                    "test",
                    0,
                    0,
                    new ShownCluster.Totals(0, 0, 0, 0, 0, 0, 0, 0, 0),
                    helpers,
                    List.of(),
                    List.of(),
                    new ShownUpkeep(false, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, false, 0),
                    reads());
        }

        @Override
        public List<ShownRead> reads() {
            return List.of(new ShownRead("1", "v", path, "hedged", "RUNNING", 1, 2, 3, "", 0));
        }

        @Override
        public Optional<ShownTimeline> read(String id) {
            return reads().stream()
                    .filter(read -> read.id().equals(id))
                    .map(read -> new ShownTimeline(read, List.of(), 0))
                    .findFirst();
        }
    }

    private void start(String listen, Optional<PageToken> token) throws CloudMwException {
        start(listen, token, new WebPage.Limits(INTERVAL, LONGEST));
    }

    private void start(String listen, Optional<PageToken> token, WebPage.Limits limits) throws CloudMwException {
        WebPage page = new WebPage(
                new PageAccessCheck(new HostPort(listen, 0), token, PageLogins.none(), ticker), source, limits, ticker);
        opened.add(page);
        HttpEndpoint endpoint = new HttpEndpoint("x.http.listen", new HostPort("127.0.0.1", 0));
        opened.add(endpoint);
        endpoint.handleOthers(page);
        started = page;
        served = endpoint;
        endpoint.serve(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), () -> true, Optional::empty);
    }

    private WebPage page() {
        return Objects.requireNonNull(started);
    }

    private HostPort address() {
        return Objects.requireNonNull(served).address();
    }

    private void start() throws CloudMwException {
        start("127.0.0.1", Optional.empty());
    }

    private void startWithToken() throws CloudMwException {
        start("0.0.0.0", Optional.of(PageToken.of(TOKEN)));
    }

    @AfterEach
    void stop() throws Exception {
        Collections.reverse(opened);
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    private URI uri(String path) {
        return URI.create("http://" + address() + path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private HttpResponse<String> login(String token) throws Exception {
        return send(HttpRequest.newBuilder(uri("/login"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "token=" + URLEncoder.encode(token, StandardCharsets.UTF_8))));
    }

    /** Sends a request with any {@code Host}; returns the status line. */
    private String statusFor(String host) throws IOException {
        try (Socket socket = new Socket(address().host(), address().port())) {
            String request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    private InputStream stream() throws Exception {
        HttpResponse<InputStream> response = CLIENT.send(
                HttpRequest.newBuilder(uri("/api/events")).build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        opened.add(response.body());
        return response.body();
    }

    private static JsonNode next(BufferedReader stream) throws IOException {
        while (true) {
            String line = stream.readLine();
            if (line.startsWith("data: ")) {
                return new ObjectMapper().readTree(line.substring("data: ".length()));
            }
        }
    }

    private static BufferedReader lines(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    @Test
    void filesOfThePageAreServedWithTheirHeaders() throws Exception {
        start();
        for (String path : List.of(
                "/",
                "/page.js",
                "/table.js",
                "/race.js",
                "/charts.js",
                "/format.js",
                "/page.css",
                "/icon.svg",
                "/uplot.js",
                "/uplot.css")) {
            HttpResponse<String> file = get(path);
            assertThat(file.statusCode()).as(path).isEqualTo(200);
            assertThat(file.body()).as(path).isNotEmpty();
            assertThat(file.headers().firstValue("Content-Security-Policy").orElse(""))
                    .contains("default-src 'self'")
                    .doesNotContain("unsafe");
            assertThat(file.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(file.headers().firstValue("Referrer-Policy")).contains("no-referrer");
            String tag = file.headers().firstValue("ETag").orElseThrow();
            HttpResponse<String> again = get(path, "If-None-Match", tag);
            assertThat(again.statusCode()).as(path).isEqualTo(304);
            assertThat(again.body()).isEmpty();
        }
        assertThat(get("/page.cs").statusCode()).isEqualTo(404);
        assertThat(get("/../page.css").statusCode()).isEqualTo(404);
        assertThat(get("/api/snapshot").headers().firstValue("Cache-Control")).contains("no-store");
    }

    @Test
    void pathsOfTheDataAreDocumented() throws Exception {
        List<String> documented = Files.readAllLines(Path.of("..", "docs", "web-page.md")).stream()
                .filter(line -> line.startsWith("| `GET "))
                .map(line -> line.substring("| `GET ".length(), line.indexOf('`', "| `".length())))
                .toList();
        assertThat(documented).containsExactlyElementsOf(WebPage.PATHS);
        start();
        for (String path : documented) {
            if (!path.equals("/api/events")) {
                assertThat(get(path.replace("{id}", "1")).statusCode()).as(path).isEqualTo(200);
            }
        }
        assertThat(get("/api/other").statusCode()).isEqualTo(404);
    }

    /** The names that only an attacker chooses must not end the output. */
    @Test
    void pathWithHalfAPairOfSurrogatesIsJson() throws Exception {
        source.path = "/\ud800<script>\u202e\"\n";
        start();
        JsonNode read = new ObjectMapper().readTree(get("/api/reads").body()).get(0);
        assertThat(read.path("path").asText()).isEqualTo(source.path);
    }

    @Test
    void readIsFoundById() throws Exception {
        start();
        JsonNode found = new ObjectMapper().readTree(get("/api/reads/1").body());
        assertThat(found.path("read").path("path").asText()).isEqualTo("/f");
        HttpResponse<String> missing = get("/api/reads/2");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("error");
    }

    @Test
    void pageOnlyReads() throws Exception {
        start();
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS")) {
            HttpResponse<String> refused = send(
                    HttpRequest.newBuilder(uri("/api/snapshot")).method(method, HttpRequest.BodyPublishers.noBody()));
            assertThat(refused.statusCode()).as(method).isEqualTo(405);
        }
        HttpResponse<String> head =
                send(HttpRequest.newBuilder(uri("/")).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("Content-Length"))
                .hasValue(get("/").body().getBytes(StandardCharsets.UTF_8).length);
        assertThat(login("anything").statusCode()).isEqualTo(403);
    }

    @Test
    void requestThatNamesAnotherHostIsRefusedOnLoopback() throws Exception {
        start();
        for (String host : List.of("localhost", "LOCALHOST:80", "127.0.0.1:7480", "127.9.9.9", "[::1]:7480")) {
            assertThat(statusFor(host)).as(host).contains(" 200 ");
        }
        for (String host : List.of(
                "evil.example",
                "evil.example:7480",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "[::2]",
                "[",
                "10.0.0.1",
                "0.0.0.0")) {
            assertThat(statusFor(host)).as(host).contains(" 403 ");
        }
    }

    @Test
    void pageIsClosedOnAnotherAddressWithoutAToken() throws Exception {
        start("10.0.0.1", Optional.empty());
        for (String path : List.of("/", "/page.css", "/api/snapshot", "/api/events", "/api/reads")) {
            HttpResponse<String> refused = get(path);
            assertThat(refused.statusCode()).as(path).isEqualTo(403);
            assertThat(refused.body()).contains("coordinator.http.token-file");
        }
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void tokenOpensThePageAsABearerAndAsACookie() throws Exception {
        startWithToken();
        assertThat(get("/").statusCode()).isEqualTo(401);
        assertThat(get("/").body()).contains("<form").doesNotContain("page.js");
        assertThat(get("/page.js").statusCode()).isEqualTo(401);
        assertThat(get("/page.css").statusCode()).as("the form needs it").isEqualTo(200);
        for (String path : List.of("/api/snapshot", "/api/events", "/api/reads", "/api/reads/1")) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(401);
            assertThat(get(path).body()).doesNotContain("/f");
        }
        assertThat(get("/api/snapshot", "Authorization", "Bearer " + TOKEN).statusCode())
                .isEqualTo(200);

        HttpResponse<String> accepted = login(TOKEN);
        assertThat(accepted.statusCode()).isEqualTo(303);
        String cookie = accepted.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict").doesNotContain(TOKEN);
        String pair = cookie.substring(0, cookie.indexOf(';'));
        assertThat(get("/", "Cookie", "other=1; " + pair).body()).contains("page.js");
        assertThat(get("/api/snapshot", "Cookie", pair).statusCode()).isEqualTo(200);
        assertThat(get("/api/snapshot", "Cookie", pair + "0").statusCode()).isEqualTo(401);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void wrongTokensAreLimited() throws Exception {
        startWithToken();
        HttpResponse<String> wrong = login("wrong");
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.body()).contains("not the token");
        for (int i = 1; i < FailedAttempts.PER_SECOND; i++) {
            assertThat(get("/api/reads", "Authorization", "Bearer wrong").statusCode())
                    .isEqualTo(401);
        }
        assertThat(get("/api/reads", "Authorization", "Bearer wrong").statusCode())
                .isEqualTo(429);
        HttpResponse<String> unchecked = login(TOKEN);
        assertThat(unchecked.statusCode()).isEqualTo(429);
        assertThat(unchecked.headers().firstValue("Retry-After")).contains("1");
        ticker.advance(Duration.ofSeconds(1));
        assertThat(login(TOKEN).statusCode()).isEqualTo(303);
    }

    @Test
    void viewersGetTheSameSnapshots() throws Exception {
        start();
        BufferedReader one = lines(stream());
        BufferedReader other = lines(stream());
        long first = next(one).path("atMillis").asLong();
        assertThat(next(one).path("atMillis").asLong()).isGreaterThan(first);
        assertThat(next(other).path("atMillis").asLong()).isPositive();
    }

    /** The latest event before may be as old as the last viewer. */
    @Test
    void firstEventIsTakenAfterTheViewerHasCome() throws Exception {
        start("127.0.0.1", Optional.empty(), new WebPage.Limits(Duration.ofSeconds(2), Duration.ofMinutes(1)));
        long earlier = next(lines(stream())).path("atMillis").asLong();
        assertThat(next(lines(stream())).path("atMillis").asLong()).isGreaterThan(earlier);
    }

    @Test
    void noSnapshotIsTakenWithoutAViewer() throws Exception {
        start();
        InputStream viewer = stream();
        JsonNode unused = next(lines(viewer));
        viewer.close();
        await().until(() -> page().viewers() == 0);
        int taken = source.snapshots.get();
        // Further ticks pass: each answer of the endpoint takes longer than none, and there are many.
        for (int i = 0; i < 100; i++) {
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
        }
        assertThat(source.snapshots.get()).isLessThanOrEqualTo(taken + 1);
    }

    @Test
    void oneViewerTooManyIsRefusedAndHealthIsAnsweredMeanwhile() throws Exception {
        start();
        for (int i = 0; i < EventStreams.MAX_VIEWERS; i++) {
            JsonNode unused = next(lines(stream()));
        }
        HttpResponse<String> refused = get("/api/events");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.body()).contains("16 viewers");
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
        assertThat(get("/api/snapshot").statusCode()).isEqualTo(200);
        page().close();
        await().until(() -> page().viewers() == 0);
    }

    @Test
    void viewerThatReadsNothingDelaysNobodyAndIsDropped() throws Exception {
        source.helpers = Collections.nCopies(
                MANY_HELPERS, new ShownHelper("h", "", true, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0));
        start("127.0.0.1", Optional.empty());
        try (Socket stuck = new Socket(address().host(), address().port())) {
            stuck.getOutputStream()
                    .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            await().until(() -> page().viewers() == 1);
            try (BufferedReader lively = lines(stream())) {
                long first = next(lively).path("atMillis").asLong();
                assertThat(next(lively).path("atMillis").asLong()).isGreaterThan(first);
            }
            await().until(() -> page().viewers() == 1);
            // Its write may begin only now.
            await().until(() -> {
                ticker.advance(LONGEST.plusMillis(1));
                return page().viewers() == 0;
            });
        }
    }

    @Test
    void hangingCatalogDelaysNeitherHealthNorMetrics() throws Exception {
        source.gate = new CountDownLatch(1);
        start();
        for (int i = 0; i < 2 * PageThreads.RUNNING; i++) {
            var unused = CLIENT.sendAsync(
                    HttpRequest.newBuilder(uri("/api/snapshot")).build(), HttpResponse.BodyHandlers.ofString());
        }
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
        source.gate.countDown();
        await().until(() -> get("/api/snapshot").statusCode() == 200);
    }

    @Test
    void failureOfTheCatalogIsTold() throws Exception {
        start();
        source.failure = Optional.of(new CloudMwException(ErrorCode.INTERNAL, "the catalog is away"));
        HttpResponse<String> failed = get("/api/snapshot");
        assertThat(failed.statusCode()).isEqualTo(503);
        assertThat(failed.body()).contains("the catalog is away");
        assertThat(next(lines(stream())).path("error").asText()).isEqualTo("the catalog is away");
    }
}
