package io.cloudmw.core.watch;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that runs again after each wake-up, on another's threads, never twice at a time; wake-ups while it waits for a thread
 * are one. So it has at most one place in its threads' queue. Safe for any thread.
 */
final class Wakeable {
    private static final Logger LOG = LoggerFactory.getLogger(Wakeable.class);

    private final Executor threads;
    private final Runnable task;
    private final AtomicInteger wakeUps = new AtomicInteger();

    /** @param task what it throws is logged; it is woken again all the same */
    Wakeable(Executor threads, Runnable task) {
        this.threads = threads;
        this.task = task;
    }

    /** Does nothing when the threads are closing. */
    void wake() {
        if (wakeUps.getAndIncrement() == 0) {
            submit();
        }
    }

    private void submit() {
        try {
            threads.execute(this::run);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread to run on", e);
            wakeUps.set(0);
        }
    }

    private void run() {
        int seen = wakeUps.get();
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a watch failed by a defect", e);
        }
        if (wakeUps.addAndGet(-seen) > 0) {
            submit();
        }
    }
}
