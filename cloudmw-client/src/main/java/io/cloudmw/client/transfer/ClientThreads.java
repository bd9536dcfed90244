package io.cloudmw.client.transfer;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of one client; all daemons, started when first needed and ended when idle. Safe for any thread. */
public final class ClientThreads implements AutoCloseable {
    private static final int MAX_BLOCKING = 32;

    private final ThreadPoolExecutor events;
    private final ThreadPoolExecutor workers;
    private final ThreadPoolExecutor sinks;
    private final ThreadPoolExecutor reads;
    private final ScheduledThreadPoolExecutor timer;

    public ClientThreads() {
        int processors = Runtime.getRuntime().availableProcessors();
        events = pool("cloudmw-client-events", Math.max(2, Math.min(4, processors)));
        workers = pool("cloudmw-client-worker", Math.max(2, Math.min(8, processors)));
        sinks = pool("cloudmw-client-sink", MAX_BLOCKING);
        reads = pool("cloudmw-client-read", MAX_BLOCKING);
        timer = new ScheduledThreadPoolExecutor(1, factory("cloudmw-client-timer"));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        // Queues stay short by the credit and the windows of the transfers that submit.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory factory(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Drives transfers; what runs here must not block. */
    public Executor events() {
        return events;
    }

    /** Verifies leaves and writes them to files. */
    Executor workers() {
        return workers;
    }

    /** Hands bytes to destinations that may block for as long as they like. */
    Executor sinks() {
        return sinks;
    }

    /** Reads sources of puts, and replicas when the client races by itself. */
    Executor reads() {
        return reads;
    }

    /** Says when; what runs here only posts to other executors. */
    public ScheduledExecutorService timer() {
        return Executors.unconfigurableScheduledExecutorService(timer);
    }

    /** Lets what was submitted run for up to two seconds, then interrupts it. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
        for (ExecutorService pool : new ExecutorService[] {events, workers, sinks, reads}) {
            pool.shutdown();
        }
        try {
            for (ExecutorService pool : new ExecutorService[] {events, workers, sinks, reads}) {
                if (!pool.awaitTermination(500, TimeUnit.MILLISECONDS)) {
                    pool.shutdownNow();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
