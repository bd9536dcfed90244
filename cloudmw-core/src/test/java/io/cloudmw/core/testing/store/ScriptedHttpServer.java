package io.cloudmw.core.testing.store;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/**
 * An HTTP server on the loopback that responds from a script, one response per request, and with the last one again
 * and again. Safe for any thread.
 */
public final class ScriptedHttpServer implements AutoCloseable {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ConcurrentLinkedQueue<Answer> script = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);

    private volatile Answer unscripted = exchange -> exchange.sendResponseHeaders(500, -1);

    /** The response to one request. */
    @FunctionalInterface
    public interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    public ScriptedHttpServer() throws IOException {
        this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    /** A server with TLS. */
    public ScriptedHttpServer(SSLContext tls) throws IOException {
        this(secure(tls));
    }

    private ScriptedHttpServer(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private static HttpServer secure(SSLContext tls) throws IOException {
        HttpsServer made = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.setHttpsConfigurator(new HttpsConfigurator(tls));
        return made;
    }

    /** {@code http://127.0.0.1:port}, or {@code https} with TLS. */
    public URI uri() {
        String scheme = server instanceof HttpsServer ? "https" : "http";
        return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Sets the response while there is no script. */
    public ScriptedHttpServer unscripted(Answer answer) {
        unscripted = answer;
        return this;
    }

    /** Serves ranged GETs of these objects, by path, like S3, while there is no script. */
    public ScriptedHttpServer serving(Map<String, byte[]> objects) {
        return unscripted(exchange -> serve(exchange, objects));
    }

    private static void serve(HttpExchange exchange, Map<String, byte[]> objects) throws IOException {
        byte[] object = objects.get(exchange.getRequestURI().getPath());
        Matcher range = RANGE.matcher(exchange.getRequestHeaders().getFirst("Range"));
        if (object == null || !range.matches()) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        int from = Integer.parseInt(range.group(1));
        int to = Math.min(Integer.parseInt(range.group(2)), object.length - 1);
        if (from >= object.length) {
            exchange.sendResponseHeaders(416, -1);
            return;
        }
        exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + to + "/" + object.length);
        exchange.sendResponseHeaders(206, to - from + 1);
        exchange.getResponseBody().write(object, from, to - from + 1);
    }

    /** Appends to the script. */
    public ScriptedHttpServer then(Answer answer) {
        script.add(answer);
        return this;
    }

    /** Appends a response without content. */
    public ScriptedHttpServer then(int status) {
        return then(exchange -> exchange.sendResponseHeaders(status, -1));
    }

    /** Appends an error response like S3's. */
    public ScriptedHttpServer thenError(int status, String code) {
        return then(exchange -> {
            byte[] body = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code
                            + "</Code><Message>scripted</Message><RequestId>r1</RequestId></Error>")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/xml");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        });
    }

    /** Appends a response that never comes. */
    public ScriptedHttpServer thenSilence() {
        return then(exchange -> awaitClosing());
    }

    /** Appends the first {@code sent} bytes of a range of {@code length} bytes from 0, and then silence. */
    public ScriptedHttpServer thenStallAfter(int sent, int length) {
        return then(exchange -> {
            startRange(exchange, length);
            exchange.getResponseBody().write(new byte[sent]);
            exchange.getResponseBody().flush();
            awaitClosing();
        });
    }

    /** Appends the first {@code sent} bytes of a range of {@code length} bytes from 0, and then the end. */
    public ScriptedHttpServer thenBreakAfter(int sent, int length) {
        return then(exchange -> {
            startRange(exchange, length);
            exchange.getResponseBody().write(new byte[sent]);
            exchange.getResponseBody().flush();
            throw new IOException("scripted");
        });
    }

    /** The method and path of every request so far. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private static void startRange(HttpExchange exchange, int length) throws IOException {
        exchange.getResponseHeaders().set("Content-Range", "bytes 0-" + (length - 1) + "/" + length);
        exchange.sendResponseHeaders(206, length);
    }

    private void handle(HttpExchange exchange) throws IOException {
        requests.add(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
        Answer answer = script.size() > 1 ? script.poll() : script.peek();
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            (answer == null ? unscripted : answer).to(exchange);
        }
    }

    private void awaitClosing() {
        try {
            closing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
