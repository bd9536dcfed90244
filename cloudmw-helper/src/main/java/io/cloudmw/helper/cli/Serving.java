package io.cloudmw.helper.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.http.HttpEndpoint;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that serves until it is told to stop: says that it is ready, waits, and closes what it opened when the
 * process gets SIGTERM or SIGINT, in bounded time.
 */
final class Serving implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
    private static final long CLOSING_SECONDS = 10;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Closed at the end, the last one first. */
    synchronized <T extends AutoCloseable> T with(T resource) {
        resources.push(resource);
        return resource;
    }

    /** Where metrics and health are to be had, if anywhere: taken before anybody hears of the process. */
    Optional<HttpEndpoint> listen(String setting, Optional<HostPort> address) throws CloudMwException {
        return address.isEmpty() ? Optional.empty() : Optional.of(with(new HttpEndpoint(setting, address.get())));
    }

    /** Prints one line: what is ready, and where. */
    static void ready(PrintStream out, boolean json, String what, Map<String, Object> where) {
        if (json) {
            print(out, where);
        } else {
            out.println("ready " + what + " "
                    + where.entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                            .collect(Collectors.joining(" ")));
        }
        out.flush();
    }

    /** Prints one line of JSON. */
    static void print(PrintStream out, Map<String, ?> object) {
        try {
            out.println(new ObjectMapper().writeValueAsString(object));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of texts are always JSON", e);
        }
        out.flush();
    }

    /**
     * Waits until the process is told to stop, or cannot go on.
     *
     * @param refused completes with the reason why it cannot
     * @throws CloudMwException that reason
     */
    void awaitSignal(CompletableFuture<CloudMwException> refused) throws CloudMwException, InterruptedException {
        var unused = refused.thenRun(closed::countDown);
        awaitSignal();
        if (refused.isDone()) {
            throw refused.join();
        }
    }

    /** Waits until the process is told to stop. */
    void awaitSignal() throws InterruptedException {
        Thread closing = new Thread(this::closeInTime, "cloudmw-shutdown");
        Runtime.getRuntime().addShutdownHook(closing);
        closed.await();
    }

    private void closeInTime() {
        Thread worker = new Thread(this::close, "cloudmw-close");
        worker.setDaemon(true);
        worker.start();
        try {
            worker.join(TimeUnit.SECONDS.toMillis(CLOSING_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (worker.isAlive()) {
            LOG.warn("not everything could be closed within {} s", CLOSING_SECONDS);
        }
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                LOG.warn("something could not be closed", e);
            }
        }
        closed.countDown();
    }
}
