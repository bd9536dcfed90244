package io.cloudmw.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the {@code cloudmw} command as a user does. */
final class CommandLine {
    static final Path LAUNCHER = Path.of("..", "cloudmw").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

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

    /** The same, for which every file system is full once a file has so many bytes. */
    CommandLine withFilesUpTo(long bytes) {
        String limited = "ulimit -f " + bytes / 512 + "; exec \"$@\"";
        return new CommandLine(launcher, coordinator, environment, List.of("sh", "-c", limited, "sh"));
    }

    /** The same, whose standard output goes to a file. */
    CommandLine withOutputTo(Path file) {
        return new CommandLine(
                launcher, coordinator, environment, List.of("sh", "-c", "exec \"$@\" >'" + file + "'", "sh"));
    }

    /** The same with more in the environment. */
    CommandLine with(Map<String, String> more) {
        return new CommandLine(launcher, coordinator, more, shell);
    }

    /** What a command that ended left behind. */
    record Result(List<String> command, int exitCode, String out, String err) {
        /** The last line of standard output. */
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

    Result run(String... arguments) {
        List<String> command = new ArrayList<>(shell);
        command.add(launcher.toString());
        command.addAll(List.of(arguments));
        try {
            Path err = Files.createTempFile("cloudmw-it-", ".err");
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
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
