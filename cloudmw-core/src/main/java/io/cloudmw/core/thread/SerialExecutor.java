package io.cloudmw.core.thread;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time in the order given, on the threads of another executor. Its users bound what they have
 * waiting in it. Safe for any thread.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    /** Tasks run before others get the thread. */
    private static final int BATCH = 64;

    private final Executor threads;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @GuardedBy("tasks")
    private boolean running;

    public SerialExecutor(Executor threads) {
        this.threads = threads;
    }

    /** When the threads take nothing more because they are closing, the task runs at once, on the caller's thread. */
    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        try {
            threads.execute(this::run);
        } catch (RejectedExecutionException e) {
            LOG.debug("closing: running what is left here");
            while (!runBatch()) {
                // Until nothing is left.
            }
        }
    }

    private void run() {
        while (!runBatch()) {
            try {
                threads.execute(this::run);
                return;
            } catch (RejectedExecutionException e) {
                LOG.debug("closing: going on here");
            }
        }
    }

    /** Returns whether nothing is left. */
    private boolean runBatch() {
        for (int i = 0; i < BATCH; i++) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return true;
                }
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a task failed by a defect", e);
            }
        }
        return false;
    }
}
