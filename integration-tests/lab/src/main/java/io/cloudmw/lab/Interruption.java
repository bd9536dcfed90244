package io.cloudmw.lab;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.lab.fleet.CloseStack;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Closes what a command has opened when the command is over and when the process is told to end (SIGINT, SIGTERM,
 * SIGHUP), whichever comes first: then the process ends only when all is closed.
 */
public final class Interruption implements AutoCloseable {
    /** Ctrl-C goes to all processes of a terminal: another may have ended of it a moment before this one hears. */
    private static final Duration MOMENT = Duration.ofMillis(200);

    private final CloseStack closing = new CloseStack();
    private final Thread hook = new Thread(this::interrupt, "cloudmw-interrupted");
    private final CountDownLatch interrupted = new CountDownLatch(1);

    public Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** What is added here is closed. */
    public CloseStack closing() {
        return closing;
    }

    /** The process is told to end. */
    void interrupt() {
        interrupted.countDown();
        closing.close();
    }

    /**
     * Does what needs what is open. After an interruption all that it may fail with comes of that: processes that ended,
     * answers that do not come, things that were closed before they were used.
     *
     * @throws CloudMwException {@code CANCELLED} when it failed and was interrupted
     */
    public <T> T run(Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (Exception e) {
            throw isInterrupted() ? new CloudMwException(ErrorCode.CANCELLED, CommandContext.INTERRUPTED, e) : e;
        }
    }

    private boolean isInterrupted() throws InterruptedException {
        return interrupted.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        closing.close();
        CommandContext.forget(hook);
    }
}
