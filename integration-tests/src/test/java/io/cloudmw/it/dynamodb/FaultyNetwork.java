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

/** Between a catalog and DynamoDB: forwards requests, or treats them as {@link #set} says. Safe for any thread. */
final class FaultyNetwork implements AutoCloseable {
    private static final Set<String> OWN_HEADERS = Set.of("host", "connection", "content-length", "transfer-encoding");
    /** Values of attributes are objects, too. */
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

    /** A fault that was drawn. */
    enum Fault {
        NONE,
        /** It takes effect, and the connection ends before its answer. */
        ANSWER_LOST,
        /** It is refused: DynamoDB has no room for it at the moment. */
        THROTTLED,
        /** It is answered by an error of DynamoDB's own. */
        BROKEN
    }

    /** Told of what was forwarded, on the thread that did, before the answer is passed on. Safe for any thread. */
    @FunctionalInterface
    interface Observer {
        /**
         * A request was answered.
         *
         * @param operation like {@code TransactWriteItems}
         * @param sentNanos before it was forwarded; when this is called it was answered
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

    /** @param perOperation given names like {@code TransactWriteItems}, once for every request */
    void set(Function<String, Fault> perOperation) {
        faults = perOperation;
    }

    /**
     * From now on queries do not find these items: so it may be for those that look while a transaction is written.
     *
     * @param text in the item; empty: none is hidden
     */
    void hide(String text) {
        hidden = text;
        alsoFromBatches = false;
    }

    /** The same, and those that read several items at once find them no more either. */
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

    /** Requests of any kind so far. */
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
