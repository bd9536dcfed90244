package io.cloudmw.helper.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.thread.Threads;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The HTTP endpoint of a server process. {@code GET /metrics} answers in the Prometheus text format.
 * {@code GET /healthz} answers 200 while the process is healthy, else 503. {@code GET /readyz} answers 200 while it can
 * serve, else 503 with the reason, as text or as a JSON object. Safe for any thread.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final int BACKLOG = 16;

    /** A caller that sends half a request occupies one thread. */
    private static final int THREADS = 4;

    private static final int MOST_QUEUED = 256;

    private final HostPort listen;
    private final HttpServer server;
    private final ThreadPoolExecutor threads = Threads.blocking("http", THREADS, MOST_QUEUED);
    private boolean hasOthers;
    private Optional<ReadinessCheck> readiness = Optional.empty();

    /**
     * Binds the address. Requests wait until {@link #serve}.
     *
     * @param setting the setting that holds the address, for messages
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound
     */
    public HttpEndpoint(String setting, HostPort listen) throws CloudMwException {
        this.listen = listen;
        try {
            server = HttpServer.create(new InetSocketAddress(listen.host(), listen.port()), BACKLOG);
        } catch (IOException e) {
            threads.shutdown();
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, setting + ": cannot listen on " + listen + ": " + Reasons.of(e), e);
        }
    }

    /**
     * Adds a handler of every other path; called before {@link #serve}.
     *
     * @param others must not occupy the calling thread; closed by the caller
     */
    public void handleOthers(HttpHandler others) {
        server.createContext("/", others);
        hasOthers = true;
    }

    /**
     * Begins to answer; called once.
     *
     * @param healthy whether the process is healthy; must not block
     * @param unready the reason why the process cannot serve, empty when it can; may block, since it has a thread of
     *     its own
     */
    public void serve(PrometheusMeterRegistry meters, BooleanSupplier healthy, Supplier<Optional<String>> unready) {
        ReadinessCheck check = new ReadinessCheck(unready);
        readiness = Optional.of(check);
        server.createContext("/metrics", exchange -> answer(exchange, 200, meters.scrape()));
        server.createContext("/readyz", exchange -> check.ask(reason -> answered(exchange, reason)));
        server.createContext("/healthz", exchange -> {
            boolean well = healthy.getAsBoolean();
            answer(exchange, well ? 200 : 503, well ? "ok\n" : "not serving\n");
        });
        if (!hasOthers) {
            server.createContext(
                    "/", exchange -> answer(exchange, 404, "here are /metrics, /healthz and /readyz alone\n"));
        }
        server.setExecutor(threads);
        server.start();
    }

    private static void answered(HttpExchange exchange, Optional<String> unready) {
        try {
            ready(exchange, unready);
        } catch (IOException e) {
            // The caller has closed the connection.
            exchange.close();
        }
    }

    private static void ready(HttpExchange exchange, Optional<String> unready) throws IOException {
        int status = unready.isEmpty() ? 200 : 503;
        String accept = exchange.getRequestHeaders().getFirst("Accept");
        if (accept != null && accept.contains("application/json")) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("ready", unready.isEmpty());
            unready.ifPresent(reason -> answer.put("reason", reason));
            answer(exchange, status, "application/json", new ObjectMapper().writeValueAsString(answer) + "\n");
        } else {
            answer(exchange, status, unready.orElse("ready") + "\n");
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        answer(exchange, status, "text/plain; version=0.0.4; charset=utf-8", text);
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    /** The address it listens on, with the host as configured. */
    public HostPort address() {
        return new HostPort(listen.host(), server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        readiness.ifPresent(ReadinessCheck::close);
    }
}
