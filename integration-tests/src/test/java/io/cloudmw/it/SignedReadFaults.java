package io.cloudmw.it;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A front of an S3 server that treats reads by signed URLs, which are those of clients, in a way of its own. It may delay
 * these reads, or those of helpers. All other requests pass unchanged.
 */
final class SignedReadFaults implements AutoCloseable {
    /** The treatment of reads by signed URLs. */
    enum Fault {
        NONE,
        /** Each is refused. */
        DENIED,
        /** Each answer has a wrong byte. */
        CORRUPT,
        /** The first URL of each object has expired. */
        EXPIRED_AT_FIRST,
        /** Each answer stops after a few bytes until the client hangs up. */
        STALLED
    }

    private static final Set<String> OF_THE_CONNECTION =
            Set.of("host", "connection", "content-length", "expect", "transfer-encoding");
    private static final int FEW_BYTES = 1000;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String upstream;
    private final Map<String, Boolean> seen = new ConcurrentHashMap<>();
    private final AtomicInteger signed = new AtomicInteger();
    private final CountDownLatch stalled = new CountDownLatch(1);
    private final CountDownLatch hungUp = new CountDownLatch(1);
    private volatile Fault fault = Fault.NONE;
    private volatile Duration signedDelay = Duration.ZERO;
    private volatile Duration helperDelay = Duration.ZERO;

    /** @param upstream the endpoint of the S3 server */
    SignedReadFaults(String upstream) throws IOException {
        this.upstream = upstream;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    SignedReadFaults with(Fault next) {
        fault = next;
        return this;
    }

    /** Delays the answer to each later GET: by a signed URL, and of a helper. */
    void delay(Duration signed, Duration helper) {
        signedDelay = signed;
        helperDelay = helper;
    }

    /** The number of reads by signed URLs so far. */
    int signedReads() {
        return signed.get();
    }

    /** Waits until an answer has stopped. */
    void awaitStalled() throws InterruptedException {
        stalled.await();
    }

    /** Waits until a client has hung up on an answer that had stopped. */
    void awaitHungUp() throws InterruptedException {
        hungUp.await();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String query = String.valueOf(exchange.getRequestURI().getRawQuery());
            boolean isGet = exchange.getRequestMethod().equals("GET");
            boolean isSigned = query.contains("X-Amz-Signature") && isGet;
            if (isGet) {
                pause(isSigned ? signedDelay : helperDelay);
            }
            Fault now = isSigned ? fault : Fault.NONE;
            signed.addAndGet(isSigned ? 1 : 0);
            String path = exchange.getRequestURI().getPath();
            if (now == Fault.DENIED) {
                refuse(exchange, "no");
            } else if (now == Fault.EXPIRED_AT_FIRST && seen.putIfAbsent(path, true) == null) {
                refuse(exchange, "Request has expired");
            } else {
                pass(exchange, now);
            }
        }
    }

    private void pause(Duration delay) throws IOException {
        try {
            if (!delay.isZero() && threads.awaitTermination(delay.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("closed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("closed", e);
        }
    }

    private static void refuse(HttpExchange exchange, String why) throws IOException {
        byte[] body = ("<Error><Code>AccessDenied</Code><Message>" + why + "</Message></Error>")
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(403, body.length);
        exchange.getResponseBody().write(body);
    }

    private void pass(HttpExchange exchange, Fault now) throws IOException {
        URI target = URI.create(upstream + exchange.getRequestURI());
        HttpURLConnection there = (HttpURLConnection) target.toURL().openConnection();
        there.setRequestMethod(exchange.getRequestMethod());
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> there.addRequestProperty(name, value));
            }
        });
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        if (length != null && !length.equals("0")) {
            there.setDoOutput(true);
            there.setFixedLengthStreamingMode(Long.parseLong(length));
            try (OutputStream body = there.getOutputStream()) {
                exchange.getRequestBody().transferTo(body);
            }
        }
        answer(exchange, there, now);
    }

    private void answer(HttpExchange exchange, HttpURLConnection there, Fault now) throws IOException {
        int status = there.getResponseCode();
        InputStream from = status < 400 ? there.getInputStream() : there.getErrorStream();
        byte[] body = from == null ? new byte[0] : from.readAllBytes();
        for (Map.Entry<String, List<String>> header : there.getHeaderFields().entrySet()) {
            String name = header.getKey();
            if (name != null && !OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, header.getValue());
            }
        }
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead) {
            exchange.getResponseHeaders()
                    .put(
                            "Content-Length",
                            List.of(
                                    there.getHeaderField("Content-Length") == null
                                            ? "0"
                                            : there.getHeaderField("Content-Length")));
        }
        exchange.sendResponseHeaders(status, isHead || body.length == 0 ? -1 : body.length);
        if (isHead || body.length == 0) {
            return;
        }
        if (now == Fault.CORRUPT) {
            body[body.length / 2] ^= 1;
        }
        if (now == Fault.STALLED) {
            stall(exchange.getResponseBody());
        } else {
            exchange.getResponseBody().write(body);
        }
    }

    /** Sends single bytes, with a pause before each, until the client has hung up. */
    private void stall(OutputStream to) throws IOException {
        to.write(new byte[FEW_BYTES]);
        to.flush();
        stalled.countDown();
        try {
            while (!threads.awaitTermination(20, TimeUnit.MILLISECONDS)) {
                to.write(0);
                to.flush();
            }
        } catch (IOException e) {
            hungUp.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
