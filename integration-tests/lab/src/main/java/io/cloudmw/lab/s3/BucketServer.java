package io.cloudmw.lab.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.thread.Threads;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A small S3 endpoint for machines without another. Creates buckets, puts objects (also only if absent), reads them
 * whole, by range or by part, returns their lengths and lists them. Path style; objects are files in a directory. Does
 * not check signatures, but can require an access key, so it must listen on the loopback or in a private network. Other
 * requests get 501.
 *
 * <p>Parts have 8 MiB: a request for a part number gets the part of an upload with that part size.
 */
public final class BucketServer implements AutoCloseable {
    static final long PART_BYTES = 8L << 20;
    private static final int THREADS = 256;
    private static final int BUFFER_BYTES = 128 << 10;

    static {
        // The JDK's server reads these properties once. Without Nagle's delay answers do not wait for acknowledgements;
        // a long idle time keeps connections open between runs.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.idleInterval", "86400");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "1024");
    }

    /** The refusal of a request, with S3's error code. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;
        private final String code;

        Refused(int status, String code) {
            super(code);
            this.status = status;
            this.code = code;
        }
    }

    private final Path directory;
    private final HttpServer server;
    private final AtomicReference<@Nullable Throwable> defect = new AtomicReference<>();
    private final ThreadPoolExecutor threads = Threads.blocking("lab-buckets", THREADS, THREADS);
    private final LongAdder sentBytes = new LongAdder();
    private volatile Optional<String> accessKey = Optional.empty();

    /**
     * Starts a server.
     *
     * @param directory holds a directory for each bucket; created if missing, not deleted
     * @param address of this machine, to listen at
     */
    public BucketServer(Path directory, InetAddress address) throws IOException {
        this.directory = Files.createDirectories(directory);
        server = HttpServer.create(new InetSocketAddress(address, 0), THREADS);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    /** Refuses requests from now on that are unsigned or signed with another access key. */
    public void admit(String accessKeyId) {
        accessKey = Optional.of(accessKeyId);
    }

    private void requireKey(HttpExchange exchange) throws Refused {
        Optional<String> admitted = accessKey;
        String header = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (admitted.isPresent()
                && !header.contains("Credential=" + admitted.get() + "/")
                && !query.contains("X-Amz-Credential=" + admitted.get() + "/")) {
            throw new Refused(403, "InvalidAccessKeyId");
        }
    }

    /** Returns {@code http://address:port}. */
    public String endpoint() {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort();
    }

    /** Returns the bytes of objects sent so far, including aborted answers. */
    public long sentBytes() {
        return sentBytes.sum();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                answer(exchange);
            } catch (Refused e) {
                refuse(exchange, e);
            } catch (NoSuchFileException e) {
                refuse(exchange, new Refused(404, "NoSuchKey"));
            }
        } catch (RuntimeException | Error e) {
            defect.compareAndSet(null, e);
            throw e;
        }
    }

    /**
     * Checks that no request failed inside the server; clients that hang up do not count.
     *
     * @throws IllegalStateException when one failed, so that the measurement is void
     */
    public void check() {
        Throwable found = defect.get();
        if (found != null) {
            throw new IllegalStateException(
                    "the lab's own S3 endpoint has a bug, so the measurement is void: " + found, found);
        }
    }

    private void answer(HttpExchange exchange) throws IOException, Refused {
        requireKey(exchange);
        String[] path = exchange.getRequestURI().getPath().substring(1).split("/", 2);
        if (path[0].isEmpty() || path[0].startsWith(".")) {
            throw new Refused(501, "NotImplemented");
        }
        Path bucket = directory.resolve(path[0]);
        if (path.length < 2 || path[1].isEmpty()) {
            answerBucket(exchange, bucket);
            return;
        }
        if (!Files.isDirectory(bucket)) {
            throw new Refused(404, "NoSuchBucket");
        }
        // A key is a name, not a path: the encoding keeps the file inside the bucket's directory.
        Path object = bucket.resolve(path[1].replace("%", "%25").replace("/", "%2F"));
        switch (exchange.getRequestMethod()) {
            case "PUT" -> put(exchange, bucket, object);
            case "GET", "HEAD" -> get(exchange, object);
            case "DELETE" -> {
                Files.deleteIfExists(object);
                exchange.sendResponseHeaders(204, -1);
            }
            default -> throw new Refused(501, "NotImplemented");
        }
    }

    /** Lists one page of the keys with a prefix that follow another key, in order. */
    private static void list(HttpExchange exchange, Path bucket) throws IOException, Refused {
        if (!Files.isDirectory(bucket)) {
            throw new Refused(404, "NoSuchBucket");
        }
        String prefix = parameter(exchange, "prefix");
        String after = parameter(exchange, "start-after");
        String most = parameter(exchange, "max-keys");
        int limit = most.matches("[0-9]{1,4}") ? Integer.parseInt(most) : 1000;
        List<String> keys;
        try (Stream<Path> files = Files.list(bucket)) {
            keys = files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("."))
                    .map(name -> name.replace("%2F", "/").replace("%25", "%"))
                    .filter(key -> key.startsWith(prefix) && key.compareTo(after) > 0)
                    .sorted()
                    .toList();
        }
        StringBuilder xml =
                new StringBuilder("<ListBucketResult><IsTruncated>" + (keys.size() > limit)).append("</IsTruncated>");
        for (String key : keys.subList(0, Math.min(limit, keys.size()))) {
            Path object = bucket.resolve(key.replace("%", "%25").replace("/", "%2F"));
            xml.append("<Contents><Key>")
                    .append(key.replace("&", "&amp;").replace("<", "&lt;"))
                    .append("</Key><LastModified>")
                    .append(Files.getLastModifiedTime(object).toInstant().truncatedTo(ChronoUnit.SECONDS))
                    .append("</LastModified><Size>")
                    .append(Files.size(object))
                    .append("</Size></Contents>");
        }
        byte[] body = xml.append("</ListBucketResult>").toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Returns a parameter of the query; empty if absent. */
    private static String parameter(HttpExchange exchange, String name) {
        String query = String.valueOf(exchange.getRequestURI().getRawQuery());
        for (String pair : query.split("&", -1)) {
            if (pair.startsWith(name + "=")) {
                return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
            }
        }
        return "";
    }

    private static void answerBucket(HttpExchange exchange, Path bucket) throws IOException, Refused {
        if (exchange.getRequestMethod().equals("GET")
                && parameter(exchange, "list-type").equals("2")) {
            list(exchange, bucket);
            return;
        }
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                Files.createDirectories(bucket);
                exchange.sendResponseHeaders(200, -1);
            }
            case "HEAD" -> exchange.sendResponseHeaders(Files.isDirectory(bucket) ? 200 : 404, -1);
            default -> throw new Refused(501, "NotImplemented");
        }
    }

    private static void put(HttpExchange exchange, Path bucket, Path object) throws IOException, Refused {
        Path temporary = bucket.resolve("." + UUID.randomUUID());
        try {
            try (InputStream body = body(exchange)) {
                Files.copy(body, temporary);
            }
            if (exchange.getRequestHeaders().containsKey("If-None-Match")) {
                Files.createLink(object, temporary);
            } else {
                Files.move(temporary, object, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (FileAlreadyExistsException e) {
            throw new Refused(412, "PreconditionFailed");
        } finally {
            Files.deleteIfExists(temporary);
        }
        exchange.getResponseHeaders().set("ETag", etag(object));
        exchange.sendResponseHeaders(200, -1);
    }

    private static InputStream body(HttpExchange exchange) {
        String hash = exchange.getRequestHeaders().getFirst("x-amz-content-sha256");
        return hash != null && hash.startsWith("STREAMING-")
                ? new AwsChunkedStream(exchange.getRequestBody())
                : exchange.getRequestBody();
    }

    private void get(HttpExchange exchange, Path object) throws IOException, Refused {
        try (RandomAccessFile file = open(object)) {
            long size = file.length();
            ByteRange range = range(exchange, size);
            // S3 answers 206 even to a range that covers the whole object.
            boolean whole = !exchange.getRequestHeaders().containsKey("Range") && range.length() == size;
            var headers = exchange.getResponseHeaders();
            headers.set("ETag", etag(object));
            headers.set("Accept-Ranges", "bytes");
            headers.set("Content-Type", "application/octet-stream");
            headers.set("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT");
            if (!whole) {
                headers.set("Content-Range", "bytes " + range.offset() + "-" + (range.end() - 1) + "/" + size);
            }
            if (exchange.getRequestMethod().equals("HEAD")) {
                headers.set("Content-Length", Long.toString(range.length()));
                exchange.sendResponseHeaders(whole ? 200 : 206, -1);
                return;
            }
            exchange.sendResponseHeaders(whole ? 200 : 206, range.length() == 0 ? -1 : range.length());
            copy(file, range, exchange.getResponseBody());
        }
    }

    private static ByteRange range(HttpExchange exchange, long size) throws Refused {
        String query = exchange.getRequestURI().getQuery();
        if (query != null && query.matches("(.*&)?partNumber=[0-9]{1,5}(&.*)?")) {
            long part = Long.parseLong(query.replaceFirst("(.*&)?partNumber=([0-9]+).*", "$2"));
            long parts = Math.max(1, (size + PART_BYTES - 1) / PART_BYTES);
            if (part < 1 || part > parts) {
                throw new Refused(416, "InvalidPartNumber");
            }
            exchange.getResponseHeaders().set("x-amz-mp-parts-count", Long.toString(parts));
            long from = (part - 1) * PART_BYTES;
            return new ByteRange(from, Math.min(PART_BYTES, size - from));
        }
        String wanted = exchange.getRequestHeaders().getFirst("Range");
        if (wanted == null || !wanted.matches("bytes=[0-9]{1,18}-[0-9]{0,18}")) {
            return new ByteRange(0, size);
        }
        String[] bounds = wanted.substring("bytes=".length()).split("-", -1);
        long from = Long.parseLong(bounds[0]);
        long last = bounds[1].isEmpty() ? size - 1 : Math.min(size - 1, Long.parseLong(bounds[1]));
        if (from >= size || last < from) {
            throw new Refused(416, "InvalidRange");
        }
        return new ByteRange(from, last + 1 - from);
    }

    /** Opens an object as a file, not as a channel, which would keep a direct buffer for each thread. */
    private static RandomAccessFile open(Path object) throws IOException {
        try {
            return new RandomAccessFile(object.toFile(), "r");
        } catch (FileNotFoundException e) {
            NoSuchFileException absent = new NoSuchFileException(object.toString());
            absent.initCause(e);
            throw absent;
        }
    }

    private void copy(RandomAccessFile file, ByteRange range, OutputStream out) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, range.length()))];
        file.seek(range.offset());
        for (long left = range.length(); left > 0; ) {
            int read = file.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new IOException("the object was truncated during the read");
            }
            out.write(buffer, 0, read);
            sentBytes.add(read);
            left -= read;
        }
    }

    private static String etag(Path object) throws IOException {
        return String.format(
                Locale.ROOT, "\"%032x\"", Files.getLastModifiedTime(object).toMillis() * 31 + Files.size(object));
    }

    private static void refuse(HttpExchange exchange, Refused why) throws IOException {
        byte[] body = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + why.code + "</Code><Message>"
                        + why.code + "</Message></Error>")
                .getBytes(StandardCharsets.UTF_8);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        exchange.sendResponseHeaders(why.status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
