package io.cloudmw.coordinator.watch;

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

    /** Does nothing when the threads are closing and it does not run. */
    void wake() {
        if (wakeUps.getAndIncrement() == 0 && !isSubmitted()) {
            wakeUps.set(0);
        }
    }

    /** Gives it a place in the queue, if there is one. */
    private boolean isSubmitted() {
        try {
            threads.execute(this::run);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread to run on", e);
            return false;
        }
    }

    /** Woken while it ran, it runs once more, here if it has to: whoever woke it may have been the last. */
    private void run() {
        boolean again = true;
        while (again) {
            int seen = wakeUps.get();
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a watch failed by a defect", e);
            }
            again = wakeUps.addAndGet(-seen) > 0 && !isSubmitted();
        }
    }
}
