package io.cloudmw.helper.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** An answer of the page, with the headers that every answer has. Immutable. */
final class PageAnswer {
    private static final String POLICY =
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';" + " frame-ancestors 'none'";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json";

    private final int status;
    private final byte[] body;
    private final Map<String, String> headers;

    private PageAnswer(int status, byte[] body, Map<String, String> headers) {
        this.status = status;
        this.body = body;
        this.headers = headers;
    }

    /**
     * Returns an answer.
     *
     * @param body not copied; never changed afterwards
     */
    static PageAnswer of(int status, String type, byte[] body) {
        return new PageAnswer(status, body, Map.of("Content-Type", type, "Cache-Control", "no-store"));
    }

    static PageAnswer text(int status, String text) {
        return of(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns an answer of JSON.
     *
     * @param json not copied; never changed afterwards
     */
    static PageAnswer json(int status, byte[] json) {
        return of(status, JSON, json);
    }

    static PageAnswer redirect(String path) {
        return text(303, "see " + path).with("Location", path);
    }

    /** The answer that what the browser has is still right. */
    static PageAnswer unchanged() {
        return new PageAnswer(304, new byte[0], Map.of());
    }

    /** The same answer with another header, or with another value of it. */
    PageAnswer with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new PageAnswer(status, body, more);
    }

    int status() {
        return status;
    }

    /** Sets the headers that every answer has. */
    static void secure(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
    }

    /** Sends it and ends the exchange; without the body when the method is HEAD. */
    void send(HttpExchange exchange) throws IOException {
        try (exchange) {
            secure(exchange.getResponseHeaders());
            headers.forEach(exchange.getResponseHeaders()::set);
            boolean bodiless = exchange.getRequestMethod().equals("HEAD") || status == 304;
            if (bodiless) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            }
            exchange.sendResponseHeaders(status, bodiless || body.length == 0 ? -1 : body.length);
            if (!bodiless) {
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            }
        }
    }
}
