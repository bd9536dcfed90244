package io.cloudmw.core.thread;

import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The factory of named pools. */
public final class Threads {
    private Threads() {}

    /** A factory of daemon threads called {@code cloudmw-<name>-<n>}. */
    public static ThreadFactory factory(String name) {
        AtomicInteger sequence = new AtomicInteger();
        ThreadFactory plain = Executors.defaultThreadFactory();
        return task -> {
            Thread thread = plain.newThread(task);
            thread.setName("cloudmw-" + name + "-" + sequence.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** A pool for tasks that block: at most {@code threads} run and {@code queue} wait; more are rejected. */
    public static ThreadPoolExecutor blocking(String name, int threads, int queue) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queue), factory(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** A pool whose users bound their waiting tasks: at most {@code threads} run, the others queue. */
    public static ThreadPoolExecutor unbounded(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** A pool without a queue: at most {@code threads} run; more are rejected. */
    public static ThreadPoolExecutor unshared(String name, int threads) {
        return new ThreadPoolExecutor(0, threads, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), factory(name));
    }

    /**
     * Runs a task later.
     *
     * @return empty when the timer is closing, or its thread cannot be started: the task will not run
     */
    public static Optional<Future<?>> later(ScheduledExecutorService timer, long delayNanos, Runnable task) {
        AtomicBoolean refused = new AtomicBoolean();
        Runnable unlessRefused = () -> {
            if (!refused.get()) {
                task.run();
            }
        };
        try {
            return Optional.of(timer.schedule(unlessRefused, delayNanos, TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // A timer keeps a task whose thread it cannot start, and would run it when it can.
            refused.set(true);
            return Optional.empty();
        }
    }

    /** A pool of one thread that starts due tasks, which must not block. */
    public static ScheduledExecutorService timer(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory(name));
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
