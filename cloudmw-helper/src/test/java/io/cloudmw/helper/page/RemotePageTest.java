package io.cloudmw.helper.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import io.cloudmw.coordinator.page.PageLogins;
import io.cloudmw.coordinator.page.ShownCluster;
import io.cloudmw.coordinator.page.ShownRead;
import io.cloudmw.coordinator.page.ShownTimeline;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.time.Ticker;
import io.netty.util.NetUtil;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of tokens on connections from other machines, which the requests here pretend. */
final class RemotePageTest {
    private static final String TOKEN = "a-token-of-enough-letters";
    private static final String ELSEWHERE = "192.0.2.7";
    private static final String HERE = "127.0.0.1";

    private final PageAccessCheck access = new PageAccessCheck(
            new HostPort("0.0.0.0", 0), Optional.of(PageToken.of(TOKEN)), PageLogins.none(), Ticker.system());
    private final WebPage page = new WebPage(
            access, new Empty(), new WebPage.Limits(Duration.ofSeconds(1), Duration.ofMinutes(1)), Ticker.system());

    @AfterEach
    void stop() {
        page.close();
    }

    private record Answer(int status, String body, Headers headers) {}

    private Answer answer(Request request) throws Exception {
        page.handle(request);
        return request.answer.get(20, TimeUnit.SECONDS);
    }

    private static Request get(String from, String path) {
        return new Request(from, "GET", path, "");
    }

    private static Request login(String from) {
        return new Request(from, "POST", "/login", "token=" + TOKEN);
    }

    @Test
    void loginIsRefusedToAnotherMachineWithTheWaysToThePage() throws Exception {
        Answer refused = answer(login(ELSEWHERE));
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.body()).contains("ssh -L", "proxy");
        assertThat(refused.headers()).doesNotContainKey("Set-Cookie");
        assertThat(answer(login(HERE)).status()).isEqualTo(303);
        assertThat(answer(login("::1")).status()).isEqualTo(303);
    }

    @Test
    void tokenAndLoginCountOnConnectionsFromThisMachineAlone() throws Exception {
        String cookie = answer(login(HERE)).headers().getFirst("Set-Cookie").split(";", -1)[0];
        for (String from : List.of(HERE, ELSEWHERE)) {
            int expected = from.equals(HERE) ? 200 : 403;
            Request bearer = get(from, "/api/reads");
            bearer.getRequestHeaders().set("Authorization", "Bearer " + TOKEN);
            assertThat(answer(bearer).status()).as(from).isEqualTo(expected);
            Request known = get(from, "/api/reads");
            known.getRequestHeaders().set("Cookie", cookie);
            assertThat(answer(known).status()).as(from).isEqualTo(expected);
        }
    }

    @Test
    void anotherMachineGetsNoFormForATokenEither() throws Exception {
        assertThat(answer(get(ELSEWHERE, "/")).status()).isEqualTo(403);
        assertThat(answer(get(HERE, "/")).status()).isEqualTo(401);
    }

    private static final class Empty implements PageSource {
        @Override
        public ShownCluster snapshot() {
            throw new AssertionError("nobody asks for a snapshot");
        }

        @Override
        public List<ShownRead> reads() {
            return List.of();
        }

        @Override
        public Optional<ShownTimeline> read(String id) {
            return Optional.empty();
        }
    }

    /** A request whose source address the test chooses. */
    private static final class Request extends HttpExchange {
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private final String from;
        private final String method;
        private final String path;
        private final InputStream body;
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        private final Headers asked = new Headers();
        private final Headers answered = new Headers();
        private volatile int status;

        Request(String from, String method, String path, String body) {
            this.from = from;
            this.method = method;
            this.path = path;
            this.body = new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void close() {
            answer.complete(new Answer(status, sent.toString(StandardCharsets.UTF_8), answered));
        }

        @Override
        public Headers getRequestHeaders() {
            return asked;
        }

        @Override
        public Headers getResponseHeaders() {
            return answered;
        }

        @Override
        public URI getRequestURI() {
            return URI.create(path);
        }

        @Override
        public String getRequestMethod() {
            return method;
        }

        @Override
        public InputStream getRequestBody() {
            return body;
        }

        @Override
        public OutputStream getResponseBody() {
            return sent;
        }

        @Override
        public void sendResponseHeaders(int code, long length) {
            status = code;
        }

        @Override
        public InetSocketAddress getRemoteAddress() {
            return new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(from), 4711);
        }

        @Override
        public int getResponseCode() {
            return status;
        }

        @Override
        public InetSocketAddress getLocalAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String getProtocol() {
            return "HTTP/1.1";
        }

        @Override
        public HttpContext getHttpContext() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object getAttribute(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setAttribute(String name, Object value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setStreams(InputStream in, OutputStream out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public HttpPrincipal getPrincipal() {
            throw new UnsupportedOperationException();
        }
    }
}
