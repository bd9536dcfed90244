package io.cloudmw.core.thread;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time in the order given, on the threads of another executor. Its users bound what they have
 * waiting in it. Safe for any thread.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    private static final int BATCH = 64;

    private final Executor threads;
    private final Consumer<? super Throwable> defects;
    private final int batch;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @GuardedBy("tasks")
    private boolean running;

    /**
     * Runs nothing yet.
     *
     * @param defects given whatever a task throws, an {@link OutOfMemoryError} too, in the task's place; the tasks
     *     after it run all the same. What waits for the task must be failed there, or it waits for ever.
     */
    public SerialExecutor(Executor threads, Consumer<? super Throwable> defects) {
        this(threads, defects, BATCH);
    }

    /**
     * The same.
     *
     * @param batch tasks run before others get the thread
     */
    public SerialExecutor(Executor threads, Consumer<? super Throwable> defects, int batch) {
        this.threads = threads;
        this.defects = defects;
        this.batch = batch;
    }

    /**
     * When the threads take nothing more, because they are closing or none can be started, the task runs at once, on
     * the caller's thread.
     */
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
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.debug("no thread: running what is left here", e);
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
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                LOG.debug("no thread: going on here", e);
            }
        }
    }

    /** Returns whether nothing is left. */
    private boolean runBatch() {
        for (int i = 0; i < batch; i++) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
                if (task == null) {
                    running = false;
                    return true;
                }
            }
            run(task);
        }
        synchronized (tasks) {
            running = !tasks.isEmpty();
            return !running;
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            try {
                defects.accept(e);
            } catch (RuntimeException | Error again) {
                LOG.error("a task failed by a defect, and so did telling of it", again);
            }
        }
    }
}
