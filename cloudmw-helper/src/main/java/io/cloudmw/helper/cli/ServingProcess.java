package io.cloudmw.helper.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.config.Build;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.thread.ForcedExit;
import io.cloudmw.helper.http.HttpEndpoint;
import io.cloudmw.helper.warmup.WarmUp;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server process. The process prints that it is ready, waits for SIGTERM or SIGINT, and then closes its resources in
 * bounded time.
 */
final class ServingProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServingProcess.class);
    private static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration DEFAULT_WARM_UP_TIME = Duration.ofSeconds(5);

    /** Time to log what could not be closed, before the process is halted. */
    private static final Duration LOGGING_TIME = Duration.ofSeconds(1);

    private final String what;
    private final Duration stopTimeout;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private volatile BooleanSupplier healthy = () -> true;
    private volatile Supplier<Optional<String>> unready = () -> Optional.of("starting");
    private final CountDownLatch closed = new CountDownLatch(1);

    private ServingProcess(String what, Duration stopTimeout) {
        this.what = what;
        this.stopTimeout = stopTimeout;
    }

    /** The time in which a process must stop. */
    static Duration stopTimeout(Settings settings) throws CloudMwException {
        return settings.duration(
                "process.stop-timeout", DEFAULT_STOP_TIMEOUT, Duration.ofMillis(100), Duration.ofMinutes(10));
    }

    /** The longest time for which a process warms up before it serves; zero for none. */
    static Duration warmUpTime(Settings settings) throws CloudMwException {
        return settings.duration("process.warm-up-time", DEFAULT_WARM_UP_TIME, Duration.ZERO, Duration.ofMinutes(1));
    }

    /**
     * Begins to serve. From now on a signal ends the process, even when its resources cannot be closed.
     *
     * @param what the kind of process
     * @param stopTimeout time in which the resources must be closed
     */
    static ServingProcess begin(String what, Duration stopTimeout) {
        ForcedExit.install(stopTimeout.plus(LOGGING_TIME));
        return new ServingProcess(what, stopTimeout);
    }

    /** Logs the start: version, addresses, and the settings that differ from their defaults. */
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

    /** Takes over a resource; the last one is closed first. */
    synchronized <T extends AutoCloseable> T with(T resource) {
        resources.push(resource);
        return resource;
    }

    /** Binds the HTTP endpoint, if one is configured; done before others learn of the process. */
    Optional<HttpEndpoint> listen(String setting, Optional<HostPort> address) throws CloudMwException {
        return address.isEmpty() ? Optional.empty() : Optional.of(with(new HttpEndpoint(setting, address.get())));
    }

    /** Answers the endpoint from now on. The process is not ready before {@link #serves}. */
    void answer(HttpEndpoint endpoint, PrometheusMeterRegistry meters) {
        endpoint.serve(meters, () -> healthy.getAsBoolean(), () -> unready.get());
    }

    /**
     * Moves bytes through the code that is to serve, for a bounded time. A failure keeps no process from its start: the
     * first requests then are slower.
     *
     * @param time longest time; zero for none
     * @param work runs within the budget, in an empty directory
     */
    void warmUp(Duration time, WarmUp.Work work) throws InterruptedException {
        if (!time.isZero()) {
            unready = () -> Optional.of("warming up");
            WarmUp.run(time, WarmUp.BYTES, work);
            unready = () -> Optional.of("starting");
        }
    }

    /** The server of the process has started, and tells from now on whether the process is healthy and ready. */
    void serves(BooleanSupplier isServing, Supplier<Optional<String>> why) {
        healthy = isServing;
        unready = why;
    }

    /** Prints one line, which says what is ready at which addresses. */
    static void ready(PrintStream out, boolean json, String what, Map<String, Object> where) {
        if (json) {
            print(out, where);
        } else {
            out.println("ready " + what + " " + words(where));
        }
        out.flush();
    }

    /**
     * Prints one line, which says what serves at which addresses without being ready; {@link #ready} follows.
     *
     * @param reason why it is not ready
     */
    static void unready(PrintStream out, boolean json, String what, Map<String, Object> where, String reason) {
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>(where);
            all.put("unready", reason);
            print(out, all);
        } else {
            out.println("not ready " + what + " " + words(where) + ": " + reason
                    + "; it serves and keeps trying (\"ready\" follows)");
        }
        out.flush();
    }

    /** Prints one line of JSON. */
    static void print(PrintStream out, Map<String, ?> object) {
        try {
            out.println(new ObjectMapper().writeValueAsString(object));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts is JSON", e);
        }
        out.flush();
    }

    /**
     * Waits until a signal comes, or the process cannot go on.
     *
     * @param refused completes with the reason why it cannot go on
     * @throws CloudMwException that reason
     */
    void awaitSignal(CompletableFuture<CloudMwException> refused) throws CloudMwException, InterruptedException {
        var unused = refused.thenRun(closed::countDown);
        awaitSignal();
        if (refused.isDone()) {
            throw refused.join();
        }
    }

    /** Waits until a signal comes. */
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
            LOG.warn("{}: some resources could not be closed within {}", what, Durations.format(stopTimeout));
        } else {
            LOG.info("{} has stopped", what);
        }
    }

    /** Logs a failure; the classes that log a stack trace may not be loadable any more. */
    private static void warn(Throwable failure) {
        try {
            LOG.warn("a resource could not be closed", failure);
        } catch (LinkageError e) {
            System.err.println("a resource could not be closed: " + failure);
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
