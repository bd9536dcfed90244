package io.cloudmw.helper.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.config.Build;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.ForcedEnd;
import io.cloudmw.helper.http.HttpEndpoint;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that serves until it is told to stop: says that it is ready, waits, and closes what it opened when the
 * process gets SIGTERM or SIGINT, in bounded time.
 */
final class ServingProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServingProcess.class);
    private static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(10);

    /** Time for parts that are not closed to say so, before the process is ended by force. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final String what;
    private final Duration stopTimeout;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private ServingProcess(String what, Duration stopTimeout) {
        this.what = what;
        this.stopTimeout = stopTimeout;
    }

    /** How long a process may take to stop. */
    static Duration stopTimeout(Settings settings) throws CloudMwException {
        return settings.duration(
                "process.stop-timeout", DEFAULT_STOP_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(10));
    }

    /**
     * Begins: from now on a signal ends the process, whatever becomes of what it has opened.
     *
     * @param what kind of process it is
     * @param stopTimeout how long it may take to close all that
     */
    static ServingProcess begin(String what, Duration stopTimeout) {
        ForcedEnd.install(stopTimeout.plus(LAST_WORDS));
        return new ServingProcess(what, stopTimeout);
    }

    /** Logs what was started: version, where it is, and the settings that differ from their defaults. */
    void started(Map<String, Object> where, Settings settings) {
        String differing = settings.known().stream()
                .filter(setting -> !setting.value().equals(setting.defaultValue()))
                .map(setting -> setting.key() + "=" + setting.value())
                .collect(Collectors.joining(" "));
        LOG.info("{} started: {} {} settings: {}", what, Build.describe(ServingProcess.class), words(where), differing);
    }

    private static String words(Map<String, Object> where) {
        return where.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

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
            out.println("ready " + what + " " + words(where));
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
        Thread worker = new Thread(this::close, "cloudmw-close");
        worker.setDaemon(true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> closeInTime(worker), "cloudmw-shutdown"));
        closed.await();
    }

    private void closeInTime(Thread worker) {
        worker.start();
        LOG.info("{} is stopping", what);
        try {
            worker.join(stopTimeout.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (worker.isAlive()) {
            LOG.warn("{}: not everything could be closed within {}", what, Durations.format(stopTimeout));
        } else {
            LOG.info("{} has stopped", what);
        }
    }

    /** Classes that log a stack trace may be among those that cannot be loaded any more. */
    private static void warn(Throwable failure) {
        try {
            LOG.warn("something could not be closed", failure);
        } catch (LinkageError e) {
            System.err.println("something could not be closed: " + failure);
        }
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception | LinkageError e) {
                warn(e);
            }
        }
        closed.countDown();
    }
}
