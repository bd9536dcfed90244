package io.cloudmw.coordinator.watch;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that runs once after one or several wake-ups, on the threads of an executor, never twice at a time. It has at
 * most one place in the executor's queue. Safe for any thread.
 */
final class WakeableTask {
    private static final Logger LOG = LoggerFactory.getLogger(WakeableTask.class);

    private final Executor threads;
    private final Runnable task;
    private final AtomicInteger wakeUps = new AtomicInteger();

    /** @param task its exceptions are logged, and it can be woken again */
    WakeableTask(Executor threads, Runnable task) {
        this.threads = threads;
        this.task = task;
    }

    /** Wakes the task; does nothing when the executor is closing and the task is not running. */
    void wake() {
        if (wakeUps.getAndIncrement() == 0 && !isSubmitted()) {
            wakeUps.set(0);
        }
    }

    /** Submits the task; returns whether the executor took it. */
    private boolean isSubmitted() {
        try {
            threads.execute(this::run);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("the executor is closed; the watch does not run", e);
            return false;
        }
    }

    /** Runs the task. When woken meanwhile it runs again, here if necessary, since that wake-up may be the last. */
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
