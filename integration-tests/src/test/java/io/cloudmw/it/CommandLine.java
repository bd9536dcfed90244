package io.cloudmw.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.cli.Main;
import io.cloudmw.cli.command.CommandContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The {@code cloudmw} command. Most runs happen in the JVM of the test; runs of the launcher are processes, as for a
 * user.
 */
final class CommandLine {
    static final Path LAUNCHER = Path.of("..", "cloudmw").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Commands that start processes, or that are in the other jar. */
    private static final Set<String> PROCESSES = Set.of(
            "demo",
            "bench",
            "torture",
            "coordinator",
            "helper",
            "standalone",
            "recover",
            "demo-buckets",
            "completion",
            "man",
            "--version");

    /**
     * Variables that commands read themselves. All other variables are for the launcher or for libraries, and need a
     * process.
     */
    private static final Set<String> HERE = Set.of("XDG_STATE_HOME", "HOME");

    private final Path launcher;
    private final String coordinator;

    private final Map<String, String> environment;
    private final List<String> shell;

    CommandLine(String coordinator) {
        this(coordinator, LAUNCHER);
    }

    CommandLine(String coordinator, Path launcher) {
        this(launcher, coordinator, Map.of(), List.of());
    }

    private CommandLine(Path launcher, String coordinator, Map<String, String> environment, List<String> shell) {
        this.launcher = launcher;
        this.coordinator = coordinator;
        this.environment = environment;
        this.shell = shell;
    }

    /** Returns a command for which no file can grow beyond a size, as on a full disk. */
    CommandLine withFilesUpTo(long bytes) {
        String limited = "ulimit -f " + bytes / 512 + "; exec \"$@\"";
        return new CommandLine(launcher, coordinator, environment, List.of("sh", "-c", limited, "sh"));
    }

    /** Returns a command whose standard output goes to a file. */
    CommandLine withOutputTo(Path file) {
        return new CommandLine(
                launcher, coordinator, environment, List.of("sh", "-c", "exec \"$@\" >'" + file + "'", "sh"));
    }

    /** Returns a command with more environment variables. */
    CommandLine with(Map<String, String> more) {
        return new CommandLine(launcher, coordinator, more, shell);
    }

    /** Returns the JVM options of short-lived processes, with a directory for their temporary files. */
    static String shortLivedIn(Path directory) {
        return Fleet.SHORT_LIVED + " -Djava.io.tmpdir=" + directory;
    }

    /** The result of a command that has ended. */
    record Result(List<String> command, int exitCode, String out, String err) {
        /** Parses the last line of standard output. */
        JsonNode json() throws IOException {
            String text = out.strip();
            return JSON.readTree(text.substring(text.lastIndexOf('\n') + 1));
        }

        Result orThrow() {
            if (exitCode != 0) {
                throw new AssertionError("failed: " + this);
            }
            return this;
        }
    }

    /**
     * Runs a command, in this JVM unless the test concerns the process or its environment. A run in this JVM takes a
     * tenth of the processor time of a process.
     */
    Result run(String... arguments) {
        return runsHere(arguments) ? runHere(arguments) : start(arguments);
    }

    private boolean runsHere(String... arguments) {
        return launcher.equals(LAUNCHER)
                && shell.isEmpty()
                && environment.keySet().stream().allMatch(HERE::contains)
                && Arrays.stream(arguments).noneMatch(PROCESSES::contains);
    }

    private Result runHere(String... arguments) {
        Map<String, String> all = new HashMap<>(System.getenv());
        all.put("CLOUDMW_COORDINATOR", coordinator);
        all.putAll(environment);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        InputStream in = InputStream.nullInputStream();
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        int exit = Main.run(new CommandContext(in, out, errors, all, false), arguments);
        return new Result(
                List.of(arguments), exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs the launcher as a process, as a user does. */
    Result start(String... arguments) {
        List<String> command = new ArrayList<>(shell);
        command.add(launcher.toString());
        command.addAll(List.of(arguments));
        try {
            Path err = Files.createTempFile("cloudmw-it-", ".err");
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
            builder.environment().put("CLOUDMW_JAVA_OPTS", Fleet.SHORT_LIVED);
            builder.environment().put("CLOUDMW_PROCESS_WARM_UP_TIME", "0s");
            builder.environment().put("CLOUDMW_COORDINATOR", coordinator);
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(5, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
            Result result = new Result(command, process.waitFor(), out, Files.readString(err));
            Files.delete(err);
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
