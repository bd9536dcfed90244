package io.cloudmw.core.store.s3;

import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.core.testing.store.ScriptedHttpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** A bucket in memory that supports a check, but for the requests that a test has it refuse. Safe for any thread. */
final class ScriptedBucket implements AutoCloseable {
    private static final String ENCRYPTION = "x-amz-server-side-encryption";

    private final ScriptedHttpServer server = new ScriptedHttpServer();
    private final Map<String, Instant> objects = new ConcurrentSkipListMap<>();
    private final Map<String, Refusal> refusals = new ConcurrentSkipListMap<>();
    private final Map<String, Refusal> refusedOnce = new ConcurrentSkipListMap<>();
    private final Map<String, Map<String, String>> encryptions = new ConcurrentSkipListMap<>();
    private volatile boolean conditional = true;
    private volatile Optional<Map<String, String>> confirmed = Optional.empty();
    private volatile Optional<String> accessKey = Optional.empty();

    private record Refusal(int status, String code, String message, Map<String, String> headers) {}

    ScriptedBucket() throws IOException {
        server.unscripted(this::answer);
    }

    String endpoint() {
        return server.uri().toString();
    }

    List<String> requests() {
        return server.requests();
    }

    Map<String, Instant> objects() {
        return new TreeMap<>(objects);
    }

    void keep(String key, Instant modified) {
        objects.put(key, modified);
    }

    /** Admits one access key only. */
    void admit(String id) {
        accessKey = Optional.of(id);
    }

    /** Overwrites objects, whatever the condition. */
    void ignoreConditions() {
        conditional = false;
    }

    /** The headers about encryption at rest that the last PUT of each object had, by their ends. */
    Map<String, Map<String, String>> encryptions() {
        return new TreeMap<>(encryptions);
    }

    /** Confirms this encryption of each object, by the ends of the headers, in place of the one that is asked for. */
    void confirm(Map<String, String> encryption) {
        confirmed = Optional.of(encryption);
    }

    /** @param what PUT, GET, DELETE or LIST */
    void refuse(String what, int status, String code, String message, Map<String, String> headers) {
        refusals.put(what, new Refusal(status, code, message, headers));
    }

    /** Refuses the next request of a kind. */
    void refuseOnce(String what, int status, String code) {
        refusedOnce.put(what, new Refusal(status, code, "", Map.of()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath().substring("/bucket".length());
        String key = path.startsWith("/") ? path.substring(1) : path;
        String what = key.isEmpty() ? "LIST" : exchange.getRequestMethod();
        String signer = exchange.getRequestHeaders().getFirst("Authorization");
        Refusal once = refusedOnce.remove(what);
        Refusal refusal = once == null ? refusals.get(what) : once;
        if (accessKey.isPresent() && !signer.contains("Credential=" + accessKey.get() + "/")) {
            error(exchange, 403, "InvalidAccessKeyId", "who?");
        } else if (refusal != null) {
            refusal.headers().forEach(exchange.getResponseHeaders()::set);
            error(exchange, refusal.status(), refusal.code(), refusal.message());
        } else if (what.equals("LIST")) {
            list(exchange);
        } else if (what.equals("PUT")) {
            boolean there = objects.containsKey(key);
            objects.put(key, Instant.now());
            Map<String, String> encryption = encryption(exchange);
            encryptions.put(key, encryption);
            confirmed
                    .orElse(encryption)
                    .forEach((end, value) -> exchange.getResponseHeaders().set(ENCRYPTION + end, value));
            if (there && conditional) {
                error(exchange, 412, "PreconditionFailed", "");
            } else {
                exchange.sendResponseHeaders(200, -1);
            }
        } else if (what.equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", "1");
            exchange.sendResponseHeaders(objects.containsKey(key) ? 200 : 404, -1);
        } else if (what.equals("DELETE")) {
            objects.remove(key);
            exchange.sendResponseHeaders(204, -1);
        } else {
            body(exchange, 206, "checks");
        }
    }

    private static Map<String, String> encryption(HttpExchange exchange) {
        Map<String, String> found = new TreeMap<>();
        for (String end : List.of("", "-aws-kms-key-id", "-bucket-key-enabled")) {
            String value = exchange.getRequestHeaders().getFirst(ENCRYPTION + end);
            if (value != null) {
                found.put(end, value);
            }
        }
        return found;
    }

    private void list(HttpExchange exchange) throws IOException {
        StringBuilder xml = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
        objects.forEach((key, modified) -> xml.append("<Contents><Key>")
                .append(key)
                .append("</Key><LastModified>")
                .append(modified)
                .append("</LastModified><Size>1</Size></Contents>"));
        body(exchange, 200, xml.append("</ListBucketResult>").toString());
    }

    private static void error(HttpExchange exchange, int status, String code, String message) throws IOException {
        body(exchange, status, "<Error><Code>" + code + "</Code><Message>" + message + "</Message></Error>");
    }

    private static void body(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (status == 206) {
            bytes = "check".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Range", "bytes 8-12/45");
        }
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.close();
    }
}
