package io.cloudmw.client.context;

import io.cloudmw.client.file.Watch;
import io.cloudmw.core.thread.Threads;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread pools of one client; all threads are daemons, start when first needed and end when idle. Callers'
 * streams, which may block without limit, have pools of their own, so that they hold up nothing else. Safe for any
 * thread.
 */
public final class ClientThreads implements AutoCloseable {
    private static final int MAX_BLOCKING = 32;

    /** More than the files that applications may write at once, each of which holds a thread. */
    private static final int MAX_SOURCES = 256;

    private final ThreadPoolExecutor events;
    private final ThreadPoolExecutor workers;
    private final ThreadPoolExecutor files;
    private final ThreadPoolExecutor replicas;
    private final ThreadPoolExecutor sources;
    private final ThreadPoolExecutor sinks;
    private final ThreadPoolExecutor watches;
    private final ScheduledExecutorService timer;

    public ClientThreads() {
        int processors = Runtime.getRuntime().availableProcessors();
        // Queues stay short by the credit and the windows of the transfers that submit.
        events = Threads.unbounded("client-events", Math.max(2, Math.min(4, processors)));
        workers = Threads.unbounded("client-worker", Math.max(2, Math.min(8, processors)));
        files = Threads.unbounded("client-file", MAX_BLOCKING);
        replicas = Threads.unbounded("client-replica", MAX_BLOCKING);
        sources = Threads.unbounded("client-source", MAX_SOURCES);
        sinks = Threads.unbounded("client-sink", MAX_BLOCKING);
        // A finished watch may still occupy its thread when the next one begins.
        watches = Threads.unshared("client-watch", 2 * Watch.MAX_OPEN);
        timer = Threads.timer("client-timer");
    }

    /** Drives transfers; tasks must not block. */
    public Executor events() {
        return events;
    }

    /** Verifies leaves and writes them to files. */
    public Executor workers() {
        return workers;
    }

    /** Opens, reads, forces and closes local files. */
    public Executor files() {
        return files;
    }

    /** Reads replicas, when the client races in-process. */
    public Executor replicas() {
        return replicas;
    }

    /** Reads callers' streams, which may block without limit. */
    public Executor sources() {
        return sources;
    }

    /** Writes to callers' channels, which may block without limit. */
    public Executor sinks() {
        return sinks;
    }

    /** Calls watch listeners; one that blocks holds up no other. */
    public Executor watches() {
        return watches;
    }

    /** Schedules tasks, which only post to other executors. */
    public ScheduledExecutorService timer() {
        return Executors.unconfigurableScheduledExecutorService(timer);
    }

    /** Lets submitted tasks run for up to three seconds, then interrupts them. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
        List<ThreadPoolExecutor> pools = List.of(events, workers, files, replicas, sources, sinks, watches);
        pools.forEach(ThreadPoolExecutor::shutdown);
        try {
            for (ThreadPoolExecutor pool : pools) {
                if (!pool.awaitTermination(500, TimeUnit.MILLISECONDS)) {
                    pool.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
