package io.cloudmw.client.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order, on threads of a shared pool. Its queue holds what a transfer's credit and
 * window let happen at once, so it needs no limit of its own. Once the pool is shut down tasks run where they are
 * submitted, so that what they hold is released: by then transfers are over and do nothing that blocks.
 */
final class SerialExecutor implements Executor {
    private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);
    private static final int BATCH = 64;

    private final Executor pool;

    @GuardedBy("tasks")
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @GuardedBy("tasks")
    private boolean running;

    SerialExecutor(Executor pool) {
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        submit();
    }

    private void submit() {
        try {
            pool.execute(this::runBatch);
        } catch (RejectedExecutionException e) {
            runBatch();
        }
    }

    private void runBatch() {
        for (int i = 0; i < BATCH; i++) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
            }
            try {
                task.run();
            } catch (RuntimeException e) {
                log.error("task failed", e);
            }
        }
        submit();
    }
}
