package io.cloudmw.lab.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process of a fleet: a coordinator, a helper, or a command that exchanges JSON lines. It ends when the process that
 * started it ends in any way, since that closes its standard input. Safe for any thread.
 */
public final class ServerProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long STOP_SECONDS = 20;

    private final String name;
    private final Process process;
    private final Path log;
    private final BufferedReader lines;
    private volatile @Nullable JsonNode ready;

    /**
     * Starts a process, which is ready after {@link #awaitReady}.
     *
     * @param directory its working directory
     * @param log gets its standard error, appended
     */
    ServerProcess(String name, List<String> command, Path directory, Map<String, String> environment, Path log)
            throws IOException {
        this.name = name;
        this.log = log;
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command))
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        this.process = builder.start();
        this.lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Waits for the first line on standard output, a JSON object. Call once.
     *
     * @throws IOException when the process ends or closes its output before it is ready (the message includes its log),
     *     or prints its error or something else
     */
    ServerProcess awaitReady() throws IOException {
        JsonNode first = answer();
        if (first.has("error")) { // the object of a command that was refused
            process.destroyForcibly();
            throw new IOException(name + " is not ready: " + first);
        }
        Thread drain = new Thread(() -> lines.lines().forEach(ignored -> {}), name + "-stdout");
        drain.setDaemon(true);
        drain.start();
        ready = first;
        return this;
    }

    /**
     * Waits for the next line on standard output, a JSON object. Not for a process started with {@link #awaitReady},
     * which consumes all further output.
     *
     * @throws IOException when the process ends or closes its output instead (the message includes its log), or prints
     *     something else
     */
    public JsonNode answer() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException(name + " ended:\n" + Files.readString(log));
        }
        return parsed(line);
    }

    /** Writes a line to the process's standard input. */
    public void say(Map<String, ?> object) throws IOException {
        Writer writer = process.outputWriter(StandardCharsets.UTF_8);
        writer.write(JSON.writeValueAsString(object) + "\n");
        writer.flush();
    }

    private JsonNode parsed(String line) throws IOException {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            process.destroyForcibly();
            throw new IOException(name + " printed \"" + line + "\" (expected: one JSON object)", e);
        }
    }

    public String name() {
        return name;
    }

    /** Returns the object that the process printed when it was ready. */
    public JsonNode ready() {
        JsonNode said = ready;
        if (said == null) {
            throw new IllegalStateException(name + " is not ready");
        }
        return said;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL and waits for the end of the process. */
    public void kill() {
        process.destroyForcibly();
        await();
    }

    /** Sends SIGSTOP: the process stops running, but its connections stay open. */
    public void pause() {
        signal("STOP");
    }

    /** Sends SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + signal + " " + name + ": exit " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void await() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + " did not stop within " + STOP_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends SIGTERM to the process and its children, since the launcher may still be running; does not wait. */
    void terminate() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }

    /** Sends SIGTERM, then SIGKILL if the process does not end in time. */
    @Override
    public void close() {
        terminate();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
