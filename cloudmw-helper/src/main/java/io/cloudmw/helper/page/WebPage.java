package io.cloudmw.helper.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.cloudmw.coordinator.page.PageContent;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The coordinator's web page. {@code GET /} is the page, {@code GET /api/...} its data ({@code docs/web-page.md}). It
 * changes nothing. Safe for any thread; does not occupy the thread that calls it.
 */
public final class WebPage implements HttpHandler, AutoCloseable {
    /** The paths of the data. */
    static final List<String> PATHS = List.of("/api/snapshot", "/api/events", "/api/reads", "/api/reads/{id}");

    private static final String NO_ROLE =
            "the token is good, and its subject does not have the role viewer (an administrator gives it:"
                    + " cloudmw grant SUBJECT --role viewer)";
    private static final String LOGIN = "/login";
    private static final String READ = "/api/reads/";
    private static final int MAX_FORM_BYTES = 8 << 10;
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(30);

    private final PageAccessCheck access;
    private final PageSource source;
    private final PageFiles files = new PageFiles();
    private final SnapshotJson snapshots;
    private final PageThreads threads;
    private final EventStreams events;

    /**
     * The time limits of the page.
     *
     * @param interval between snapshots
     * @param longest time of a request, and of a write to a viewer
     */
    record Limits(Duration interval, Duration longest) {}

    /** @param writes measures writes to viewers */
    WebPage(PageAccessCheck access, PageSource source, Limits limits, Ticker writes) {
        this.access = access;
        this.source = source;
        this.snapshots = new SnapshotJson(source, Ticker.system());
        this.threads = new PageThreads(limits.longest());
        this.events = new EventStreams(snapshots, limits.interval(), limits.longest(), writes);
    }

    /** The page of a coordinator. */
    public static WebPage of(PageAccessCheck access, PageContent content) {
        return new WebPage(access, PageSource.of(content), new Limits(INTERVAL, LONGEST_REQUEST), Ticker.system());
    }

    /** The number of viewers now. */
    int viewers() {
        return events.viewers();
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        threads.answer(exchange, () -> answer(exchange));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String method = exchange.getRequestMethod();
        if (path.equals(LOGIN) && method.equals("POST")) {
            login(exchange).send(exchange);
            return;
        }
        Optional<PageAnswer> refused = refusal(exchange, path);
        if (refused.isPresent()) {
            refused.get().send(exchange);
        } else if (!method.equals("GET") && !method.equals("HEAD")) {
            PageAnswer.text(405, "the page only reads")
                    .with("Allow", "GET, HEAD")
                    .send(exchange);
        } else if (path.equals("/api/events") && method.equals("GET")) {
            if (!events.join(exchange)) {
                PageAnswer.text(503, "the page has " + EventStreams.MAX_VIEWERS + " viewers, which is the most")
                        .with("Retry-After", "10")
                        .send(exchange);
            }
        } else {
            found(path, exchange).send(exchange);
        }
    }

    /** Returns why the caller gets nothing; empty: it has access. */
    private Optional<PageAnswer> refusal(HttpExchange exchange, String path) throws CloudMwException {
        PageAccessCheck.Verdict verdict = access.check(exchange);
        boolean data = path.startsWith("/api/");
        return switch (verdict) {
            case ALLOWED -> Optional.empty();
            case LOGIN_NEEDED ->
                PageFiles.isOpen(path)
                        ? Optional.empty()
                        : Optional.of(data ? unauthorized("a token is needed") : files.login(401, ""));
            case WRONG_TOKEN -> Optional.of(unauthorized("the token is wrong"));
            case NO_ROLE -> Optional.of(PageAnswer.text(403, NO_ROLE));
            case TOO_MANY_FAILURES -> Optional.of(tooMany());
            case FOREIGN_HOST ->
                Optional.of(PageAnswer.text(
                        403,
                        "the page is on a loopback address, and the request names another host in its header Host"));
            case NOT_ENCRYPTED -> Optional.of(notEncrypted());
            case CLOSED -> Optional.of(closed());
        };
    }

    private static PageAnswer notEncrypted() {
        return PageAnswer.text(
                403,
                "the web page takes tokens from this machine alone, because HTTP would send them in clear. Open it through"
                        + " a tunnel (ssh -L 7480:127.0.0.1:7480 HOST, then http://127.0.0.1:7480/), or through a proxy"
                        + " with TLS on the coordinator's machine that connects to a loopback address. Revoke a token"
                        + " that was sent here (cloudmw token revoke).");
    }

    private static PageAnswer unauthorized(String why) {
        return PageAnswer.text(401, why + " (Authorization: Bearer TOKEN)").with("WWW-Authenticate", "Bearer");
    }

    private static PageAnswer tooMany() {
        return PageAnswer.text(429, "too many wrong tokens; try again in a second")
                .with("Retry-After", "1");
    }

    private static PageAnswer closed() {
        return PageAnswer.text(
                403,
                "the web page is closed: it is not for this machine alone, and " + PageAccessCheck.SETTING
                        + " is not set. Set it to a file with a token that only the coordinator's user can read.");
    }

    private PageAnswer login(HttpExchange exchange) throws IOException {
        if (!PageAccessCheck.isFromThisMachine(exchange)) {
            return notEncrypted();
        }
        byte[] form = exchange.getRequestBody().readNBytes(MAX_FORM_BYTES + 1);
        if (form.length > MAX_FORM_BYTES) {
            return PageAnswer.text(413, "too long for a token");
        }
        PageAccessCheck.Login login = access.login(new String(form, StandardCharsets.UTF_8));
        return switch (login.verdict()) {
            case ALLOWED -> PageAnswer.redirect("/").with("Set-Cookie", login.cookie());
            case WRONG_TOKEN -> files.login(401, "This is not the token.");
            case NO_ROLE -> files.login(403, "The subject of this token does not have the role viewer.");
            case TOO_MANY_FAILURES ->
                files.login(429, "Too many wrong tokens. Wait a second.").with("Retry-After", "1");
            case CLOSED -> PageAnswer.text(403, "there is no token to log in with (" + PageAccessCheck.SETTING + ")");
            case LOGIN_NEEDED, FOREIGN_HOST, NOT_ENCRYPTED -> files.login(401, "Enter the token.");
        };
    }

    private PageAnswer found(String path, HttpExchange exchange) {
        try {
            if (path.equals("/api/snapshot")) {
                return PageAnswer.json(200, snapshots.recent());
            }
            if (path.equals("/api/reads")) {
                return PageAnswer.json(200, SnapshotJson.of(source.reads()));
            }
            if (path.startsWith(READ)) {
                return source.read(path.substring(READ.length()))
                        .map(read -> PageAnswer.json(200, SnapshotJson.of(read)))
                        .orElseGet(() -> failure(404, "no such read is recorded (any more)"));
            }
            return files.find(path, exchange).orElseGet(() -> PageAnswer.text(404, "there is no such page"));
        } catch (CloudMwException e) {
            return failure(503, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failure(503, "took too long");
        }
    }

    private static PageAnswer failure(int status, String why) {
        return PageAnswer.json(status, SnapshotJson.of(Map.of("error", why)));
    }

    /** Ends all streams and requests. */
    @Override
    public void close() {
        events.close();
        threads.close();
    }
}
