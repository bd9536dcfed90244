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
 * Closes a command's resources when the command ends or when the process receives SIGINT, SIGTERM or SIGHUP, whichever
 * comes first. After a signal the process ends only when all resources are closed.
 */
public final class Interruption implements AutoCloseable {
    /**
     * The wait for a signal after a failure. Ctrl-C reaches all processes of a terminal: another process may die of it
     * first and make this one fail before its own signal arrives.
     */
    private static final Duration MOMENT = Duration.ofMillis(200);

    private final CloseStack closing = new CloseStack();
    private final Thread hook = new Thread(this::interrupt, "cloudmw-interrupted");
    private final CountDownLatch interrupted = new CountDownLatch(1);

    public Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Returns the stack of resources that this closes. */
    public CloseStack closing() {
        return closing;
    }

    /** Handles the signal. */
    void interrupt() {
        interrupted.countDown();
        closing.close();
    }

    /**
     * Runs work that needs the open resources. After a signal any failure counts as its consequence: processes have
     * ended, answers do not come, resources are closed before use.
     *
     * @throws CloudMwException {@code CANCELLED} when the work failed and a signal had arrived
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
