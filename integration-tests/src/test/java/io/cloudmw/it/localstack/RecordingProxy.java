package io.cloudmw.it.localstack;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP proxy that records requests and forwards them to one server; it can be told to refuse all. */
public final class RecordingProxy implements AutoCloseable {
    /** Headers that belong to one connection and are not forwarded. */
    private static final Set<String> OWN =
            Set.of("connection", "content-length", "expect", "host", "upgrade", "transfer-encoding", "date");

    private static final int DENIED = 403;

    private final URI target;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Recorded> requests = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;

    /**
     * A recorded request.
     *
     * @param body as text
     */
    public record Recorded(String method, URI uri, Headers headers, String body) {}

    /**
     * Starts a proxy.
     *
     * @param target {@code http://host:port} of the server
     */
    public RecordingProxy(URI target) throws IOException {
        this.target = target;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Returns {@code http://127.0.0.1:port}. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Returns all requests so far. */
    public List<Recorded> requests() {
        return List.copyOf(requests);
    }

    /** Answers every request with 403 from now on. */
    public void refuse() {
        refusing = true;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.add(new Recorded(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI(),
                    exchange.getRequestHeaders(),
                    new String(body, StandardCharsets.ISO_8859_1)));
            if (refusing) {
                exchange.sendResponseHeaders(DENIED, -1);
            } else {
                answer(exchange, handOn(exchange, body));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpResponse<byte[]> handOn(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
        answer.headers().map().forEach((name, values) -> {
            if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        boolean head = exchange.getRequestMethod().equals("HEAD");
        if (head) {
            answer.headers()
                    .firstValue("content-length")
                    .ifPresent(length -> exchange.getResponseHeaders().set("Content-Length", length));
        }
        byte[] body = answer.body();
        exchange.sendResponseHeaders(answer.statusCode(), head || body.length == 0 ? -1 : body.length);
        if (!head && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
