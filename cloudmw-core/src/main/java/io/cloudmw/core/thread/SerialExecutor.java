package io.cloudmw.core.thread;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor that runs tasks one at a time in the given order, on the threads of another executor. Its users bound
 * their waiting tasks. Safe for any thread.
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
     * Makes an executor without tasks.
     *
     * @param defects called in a task's place with its exception, an {@link OutOfMemoryError} too; later tasks run all
     *     the same. It must fail whatever waits for the task, which would otherwise wait for ever.
     */
    public SerialExecutor(Executor threads, Consumer<? super Throwable> defects) {
        this(threads, defects, BATCH);
    }

    /**
     * Makes an executor with a batch size.
     *
     * @param batch tasks run before others get the thread
     */
    public SerialExecutor(Executor threads, Consumer<? super Throwable> defects, int batch) {
        this.threads = threads;
        this.defects = defects;
        this.batch = batch;
    }

    /**
     * Queues a task. When the threads reject it, because they are closing or none can be started, it runs at once, on
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
            LOG.debug("no thread can be started: running the remaining tasks on this one", e);
            while (!runBatch()) {
                // Until no task is left.
            }
        }
    }

    private void run() {
        while (!runBatch()) {
            try {
                threads.execute(this::run);
                return;
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                LOG.debug("no thread can be started: going on with this one", e);
            }
        }
    }

    /** Returns whether no task is left. */
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
                LOG.error("a task failed by a defect, and so did its handler", again);
            }
        }
    }
}
