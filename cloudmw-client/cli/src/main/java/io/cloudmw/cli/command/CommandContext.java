package io.cloudmw.cli.command;

import io.cloudmw.cli.output.StandardOutput;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The environment of one command: its streams, its variables and its client. When the process is interrupted, the
 * context closes the client, which cancels unfinished work.
 */
public final class CommandContext {
    /**
     * The body of a command. Returns the answer to print with {@code --json}; empty when the command has printed it
     * already.
     */
    public interface Work {
        Map<String, ?> run(CloudMw client) throws Exception;
    }

    /** A function that adds a command's own options to those of its client. */
    interface Adding {
        CloudMwOptions to(CloudMwOptions base) throws CloudMwException;
    }

    /** The message of every command that an interruption ends. */
    public static final String INTERRUPTED = "interrupted";

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final InputStream in;
    private final StandardOutput out;
    private final PrintStream err;
    private final Map<String, String> environment;
    private final boolean terminal;

    /** The time that an interrupted process waits for its command to report the end. */
    private final Duration patience;

    private final CountDownLatch reported = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    /** True once a command has begun that reports its own end. */
    private volatile boolean begun;

    /** The call that ends remote work before the client is closed; null once the interruption has begun. */
    private final AtomicReference<@Nullable Runnable> ending = new AtomicReference<>(() -> {});

    private final AtomicBoolean said = new AtomicBoolean();

    /**
     * Makes the context of one process.
     *
     * @param out buffered by the context, and flushed at the end of the command
     */
    public CommandContext(
            InputStream in, OutputStream out, PrintStream err, Map<String, String> environment, boolean terminal) {
        this(in, new StandardOutput(out), err, environment, terminal, PATIENCE);
    }

    private CommandContext(
            InputStream in,
            StandardOutput out,
            PrintStream err,
            Map<String, String> environment,
            boolean terminal,
            Duration patience) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.environment = environment;
        this.terminal = terminal;
        this.patience = patience;
    }

    /** Returns a context for another run with the same streams, and with this time for a command to report its end. */
    public CommandContext withPatience(Duration time) {
        return new CommandContext(in, out, err, environment, terminal, time);
    }

    public InputStream in() {
        return in;
    }

    public StandardOutput out() {
        return out;
    }

    public PrintStream err() {
        return err;
    }

    public Map<String, String> environment() {
        return environment;
    }

    /**
     * Returns the directory for state that repeated commands need, like journals of puts; empty when no variable names
     * one.
     */
    public Optional<Path> stateDirectory() {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (!state.isEmpty()) {
            return Optional.of(Path.of(state, "cloudmw"));
        }
        String home = environment.getOrDefault("HOME", "");
        return home.isEmpty() ? Optional.empty() : Optional.of(Path.of(home, ".local", "state", "cloudmw"));
    }

    public boolean isTerminal() {
        return terminal;
    }

    /** Asks a question on the terminal, and returns whether the answer is {@code y} or {@code yes}. */
    public boolean asks(String question) throws CloudMwException {
        err.print(question + " [y/N] ");
        err.flush();
        try {
            String answer = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            String said = answer == null ? "" : answer.strip().toLowerCase(Locale.ROOT);
            return said.equals("y") || said.equals("yes");
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "standard input: cannot read it: " + Reasons.of(e), e);
        }
    }

    public int run(GlobalOptions options, Work work) throws Exception {
        return run(options, base -> base, work);
    }

    /** Runs a command's body with a client, and prints the answer with {@code --json}. */
    public int run(GlobalOptions options, Adding more, Work work) throws Exception {
        CloudMw client = CloudMw.connect(more.to(clientOptions(options)));
        Thread hook = new Thread(() -> interrupted(client), "cloudmw-interrupted");
        closeWhenInterrupted(client, hook);
        Map<String, ?> answer;
        try {
            answer = work.run(client);
        } catch (RejectedExecutionException e) {
            throw isInterrupted() ? new CloudMwException(ErrorCode.CANCELLED, INTERRUPTED, e) : e;
        } finally {
            client.close();
            forget(hook);
        }
        if (options.json() && !answer.isEmpty()) {
            out.printJson(answer);
        }
        out.flush();
        try {
            out.requireWritten();
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "standard output: cannot write to it: " + Reasons.of(e), e);
        }
        return ExitCode.OK.value();
    }

    /**
     * Returns the client options of the command line. Unless {@code --quiet} is set, the client reports on standard
     * error what it waits for.
     */
    public CloudMwOptions clientOptions(GlobalOptions options) throws CloudMwException {
        CloudMwOptions all = options.clientOptions(environment).withOpenTelemetry(GlobalOpenTelemetry.get());
        return options.quiet() ? all : all.withWaiting(what -> err.println("cloudmw: " + what));
    }

    private boolean isInterrupted() {
        return interrupted.getCount() == 0;
    }

    /**
     * Waits for this time.
     *
     * @throws CloudMwException {@code CANCELLED} as soon as the process is interrupted
     */
    public void pause(Duration time) throws CloudMwException, InterruptedException {
        if (interrupted.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new CloudMwException(ErrorCode.CANCELLED, INTERRUPTED);
        }
    }

    private void closeWhenInterrupted(CloudMw client, Thread hook) throws CloudMwException {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            begun = true;
        } catch (IllegalStateException e) {
            client.close();
            throw new CloudMwException(ErrorCode.CANCELLED, INTERRUPTED, e);
        }
    }

    /** Returns true to the first caller only, which then reports how the command ended. */
    public boolean says() {
        return said.compareAndSet(false, true);
    }

    /**
     * Waits briefly for a command to report the end of this process. Returns true when no command does, so that the
     * caller must.
     */
    public boolean endsUnsaid() {
        return !begun && !isReported() && says();
    }

    private boolean isReported() {
        try {
            return reported.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Records that the command has reported its end, so that an interrupted process may exit. */
    public void reported() {
        reported.countDown();
    }

    /**
     * Sets the call that ends remote work when the process is interrupted, before the client is closed. The call may
     * block briefly.
     */
    public void whenInterrupted(Runnable end) {
        ending.updateAndGet(before -> before == null ? null : end);
    }

    /**
     * Returns the failure of a command whose remote work was ended. The coordinator may report that end before {@link
     * #pause} notices that this process, which caused it, is interrupted.
     *
     * @param message the reason when the process is not interrupted
     */
    public CloudMwException endedElsewhere(String message) {
        return new CloudMwException(ErrorCode.CANCELLED, ending.get() == null ? INTERRUPTED : message);
    }

    /**
     * Ends the remote work, closes the client, and waits briefly until the command has reported its end. Only a command
     * that waits for the client notices.
     */
    public void interrupted(CloudMw client) {
        Runnable end = ending.getAndSet(null);
        if (end != null) {
            end.run();
        }
        interrupted.countDown();
        client.close();
        var unused = isReported();
    }

    public static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is being interrupted: the hook closes the client, and this thread leaves it alone.
        }
    }

    /** Returns the path of the launcher script, for commands that start processes. */
    public Path launcher(String command) {
        String launcher = environment.get("CLOUDMW_LAUNCHER");
        if (launcher == null) {
            throw new IllegalArgumentException(
                    command + ": starts other processes (expected: run as ./cloudmw " + command + ")");
        }
        return Path.of(launcher);
    }

    /**
     * Runs work that waits for the client's futures, and throws their own failures instead of an {@link
     * ExecutionException}.
     */
    public static <T> T unwrapped(Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CloudMwException known) {
                throw known;
            }
            throw new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + e.getCause(), e);
        }
    }
}
