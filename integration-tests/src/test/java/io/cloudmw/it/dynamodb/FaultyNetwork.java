package io.cloudmw.it.dynamodb;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cloudmw.core.time.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A proxy between a catalog and DynamoDB that forwards requests or injects faults ({@link #set}). Safe for any thread.
 */
final class FaultyNetwork implements AutoCloseable {
    private static final Set<String> OWN_HEADERS = Set.of("host", "connection", "content-length", "transfer-encoding");
    /** A pattern for an item; the values of its attributes are objects, too. */
    private static final Pattern ITEM = Pattern.compile("(\\{(?:[^{}]|\\{[^{}]*})*}),?");

    private final URI target;
    private final Observer observer;
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newFixedThreadPool(16);
    private final AtomicInteger requests = new AtomicInteger();
    private volatile Function<String, Fault> faults = operation -> Fault.NONE;
    private volatile String hidden = "";
    private volatile boolean alsoFromBatches;

    /** The treatment of a request. */
    enum Fault {
        NONE,
        /** The request takes effect, and the connection ends before the answer. */
        ANSWER_LOST,
        /** The request is refused, since DynamoDB throttles. */
        THROTTLED,
        /** The request fails with an internal error of DynamoDB. */
        BROKEN
    }

    /**
     * An observer of forwarded requests. The forwarding thread calls it before it passes on the answer. Safe for any
     * thread.
     */
    @FunctionalInterface
    interface Observer {
        /**
         * Observes a request that was answered.
         *
         * @param operation like {@code TransactWriteItems}
         * @param sentNanos a time before the request was forwarded; the answer had arrived by the time of the call
         */
        void answered(String operation, byte[] request, int status, long sentNanos) throws IOException;
    }

    FaultyNetwork(URI target) throws IOException {
        this(target, (operation, request, status, sentNanos) -> {});
    }

    FaultyNetwork(URI target, Observer observer) throws IOException {
        this.target = target;
        this.observer = observer;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /**
     * Sets the fault for each request.
     *
     * @param perOperation gets an operation like {@code TransactWriteItems}, once per request
     */
    void set(Function<String, Fault> perOperation) {
        faults = perOperation;
    }

    /**
     * Hides items from queries, like a query that runs during a transaction.
     *
     * @param text that occurs in hidden items; empty: no item is hidden
     */
    void hide(String text) {
        hidden = text;
        alsoFromBatches = false;
    }

    /** Hides items from queries, like {@link #hide}, and also from reads of several items at once. */
    void hideFromAll(String text) {
        hidden = text;
        alsoFromBatches = true;
    }

    private static String without(String text, byte[] answer) {
        String body = new String(answer, StandardCharsets.UTF_8);
        return ITEM.matcher(body)
                .replaceAll(item -> item.group(1).contains(text) ? "" : Matcher.quoteReplacement(item.group()))
                .replace(",]", "]");
    }

    /** Returns the number of requests so far. */
    int requests() {
        return requests.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        String operation = exchange.getRequestHeaders().getFirst("X-Amz-Target");
        Fault fault = faults.apply(operation.substring(operation.indexOf('.') + 1));
        try (exchange) {
            byte[] request = exchange.getRequestBody().readAllBytes();
            switch (fault) {
                case THROTTLED -> refuse(exchange, 400, "ProvisionedThroughputExceededException");
                case BROKEN -> refuse(exchange, 500, "InternalServerError");
                case ANSWER_LOST -> forward(exchange, request);
                case NONE -> {
                    HttpResponse<byte[]> response = forward(exchange, request);
                    boolean hiding =
                            operation.endsWith(".Query") || (alsoFromBatches && operation.endsWith(".BatchGetItem"));
                    if (hiding && !hidden.isEmpty()) {
                        sendJson(exchange, response.statusCode(), without(hidden, response.body()));
                    } else {
                        answer(exchange, response);
                    }
                }
            }
        }
    }

    private HttpResponse<byte[]> forward(HttpExchange exchange, byte[] body) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OWN_HEADERS.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        long sentNanos = Ticker.system().nanos();
        try {
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            String operation = exchange.getRequestHeaders().getFirst("X-Amz-Target");
            observer.answered(operation.substring(operation.indexOf('.') + 1), body, response.statusCode(), sentNanos);
            return response;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> response) throws IOException {
        response.headers().map().forEach((name, values) -> {
            if (!OWN_HEADERS.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        send(exchange, response.statusCode(), response.body());
    }

    private static void refuse(HttpExchange exchange, int status, String name) throws IOException {
        String body = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + name + "\",\"message\":\"as the test says\"}";
        sendJson(exchange, status, body);
    }

    private static void sendJson(HttpExchange exchange, int status, String body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
        send(exchange, status, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
