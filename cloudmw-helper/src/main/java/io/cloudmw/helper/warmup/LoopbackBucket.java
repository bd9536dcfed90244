package io.cloudmw.helper.warmup;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.thread.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stand-in for a bucket: an HTTP server on loopback that answers ranged GETs of any object with the bytes of
 * {@link SampleChunk}, and takes PUTs without keeping them. Safe for any thread.
 */
final class LoopbackBucket implements AutoCloseable {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,9})-(\\d{1,9})");
    private static final int THREADS = 8;
    private static final int MOST_QUEUED = 64;
    private static final int BACKLOG = 64;
    private static final long NO_BODY = -1;

    private final SampleChunk content;
    private final HttpServer server;
    private final ThreadPoolExecutor threads = Threads.blocking("warm-up-bucket", THREADS, MOST_QUEUED);

    /** @throws IOException when no port of loopback can be bound */
    LoopbackBucket(SampleChunk content) throws IOException {
        this.content = content;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        } catch (IOException e) {
            threads.shutdown();
            throw e;
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** The store in this bucket. */
    Store store() {
        InetSocketAddress at = server.getAddress();
        String endpoint = "http://" + at.getAddress().getHostAddress() + ":" + at.getPort();
        return new Store(new StoreId("warm-up"), "warm-up", new Store.S3("warm-up", "us-east-1", endpoint, true, ""));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            switch (exchange.getRequestMethod()) {
                case "GET" -> get(exchange);
                case "PUT" -> put(exchange);
                default -> exchange.sendResponseHeaders(404, NO_BODY);
            }
        }
    }

    private void get(HttpExchange exchange) throws IOException {
        String asked = exchange.getRequestHeaders().getFirst("Range");
        Matcher range = RANGE.matcher(asked == null ? "" : asked);
        if (!range.matches()) {
            exchange.sendResponseHeaders(416, NO_BODY);
            return;
        }
        long first = Long.parseLong(range.group(1));
        long last = Long.parseLong(range.group(2));
        exchange.getResponseHeaders()
                .set("Content-Range", "bytes " + first + "-" + last + "/" + SampleChunk.CHUNK_BYTES);
        exchange.sendResponseHeaders(206, last + 1 - first);
        byte[] leaf = content.leaf();
        try (OutputStream body = exchange.getResponseBody()) {
            long position = first;
            while (position <= last) {
                int offset = (int) (position % leaf.length);
                int length = (int) Math.min(leaf.length - offset, last + 1 - position);
                body.write(leaf, offset, length);
                position += length;
            }
        }
    }

    private static void put(HttpExchange exchange) throws IOException {
        try (InputStream body = exchange.getRequestBody()) {
            byte[] piece = new byte[SampleChunk.LEAF_BYTES];
            while (body.read(piece) >= 0) {
                // Nothing is kept.
            }
        }
        exchange.getResponseHeaders().set("ETag", "\"0\"");
        exchange.sendResponseHeaders(200, NO_BODY);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
