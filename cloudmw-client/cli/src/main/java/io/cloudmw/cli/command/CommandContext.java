package io.cloudmw.cli.command;

import io.cloudmw.cli.output.StandardOutput;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
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
 * The surroundings of one command: its streams, its environment, and the client, closed when the process is
 * interrupted so that nothing half done is left.
 */
public final class CommandContext {
    /** The body of a command: gives its answer, or nothing when that has been printed. */
    public interface Work {
        Map<String, ?> run(CloudMw client) throws Exception;
    }

    /** A function that adds a command's own options to those of its client. */
    interface Adding {
        CloudMwOptions to(CloudMwOptions base) throws CloudMwException;
    }

    /** What is said of it. */
    public static final String INTERRUPTED = "interrupted";

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final InputStream in;
    private final StandardOutput out;
    private final PrintStream err;
    private final Map<String, String> environment;
    private final boolean terminal;

    /** How long a process that is interrupted waits for what is to be said of its end. */
    private final Duration patience;

    private final CountDownLatch reported = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    /** Whether a command has begun that says itself what becomes of it. */
    private volatile boolean begun;

    /** A call that ends work elsewhere, before the client is closed; null: the process has begun to be interrupted. */
    private final AtomicReference<@Nullable Runnable> ending = new AtomicReference<>(() -> {});

    private final AtomicBoolean said = new AtomicBoolean();

    /**
     * Makes the context of one process.
     *
     * @param out is buffered here, and flushed at the end of the command
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

    /** One for another run, with the same streams, that waits for so long for what is to be said of its end. */
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

    /** Where commands note what they need once more when they are repeated; empty: nobody says where that would be. */
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

    /** Asks on the terminal; anything but {@code y} or {@code yes} is no. */
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

    /** Runs a command's body with a client and prints what it gives when JSON is wanted. */
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

    /** Says, unless quiet, what is waited for. */
    public CloudMwOptions clientOptions(GlobalOptions options) throws CloudMwException {
        CloudMwOptions all = options.clientOptions(environment);
        return options.quiet() ? all : all.withWaiting(what -> err.println("cloudmw: " + what));
    }

    private boolean isInterrupted() {
        return interrupted.getCount() == 0;
    }

    /**
     * Waits.
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

    /** Whether whoever asks may say how it ends: the first does. */
    public boolean says() {
        return said.compareAndSet(false, true);
    }

    /** Waits for a moment, when the process ends, for that to be said; true: nobody does, so it is to be said here. */
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

    /** Everything is said: an interrupted process may end. */
    public void reported() {
        reported.countDown();
    }

    /** When the process is interrupted this is done, before the client is closed; it may block for a moment. */
    public void whenInterrupted(Runnable end) {
        ending.updateAndGet(before -> before == null ? null : end);
    }

    /**
     * The failure of a command whose work elsewhere was ended. The command may hear so from the coordinator before
     * {@link #pause} tells it that this process is interrupted, and that was the cause.
     *
     * @param message what is said where the process is not interrupted
     */
    public CloudMwException endedElsewhere(String message) {
        return new CloudMwException(ErrorCode.CANCELLED, ending.get() == null ? INTERRUPTED : message);
    }

    /** What fails by this still says so, unless it waits for something else than the client. */
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
            // The process is being interrupted: the hook closes the client, and this thread need not.
        }
    }

    /** The launcher script, for commands that start processes. */
    public Path launcher(String command) {
        String launcher = environment.get("CLOUDMW_LAUNCHER");
        if (launcher == null) {
            throw new IllegalArgumentException(
                    command + ": starts other processes (expected: run as ./cloudmw " + command + ")");
        }
        return Path.of(launcher);
    }

    /** Work that waits for futures of the client: fails as they did. */
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
