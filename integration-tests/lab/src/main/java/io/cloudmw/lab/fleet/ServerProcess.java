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
 * A process of a fleet: a coordinator, a helper, or one that is talked with, a line of JSON each way. It ends with the process that started it, however that ends: its
 * standard input does. Safe for any thread.
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
     * Starts it; ready after {@link #awaitReady}.
     *
     * @param directory where it runs
     * @param log standard error goes here (appended)
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
     * Waits for its first line on standard output, one JSON object. Once.
     *
     * @throws IOException when the process ends or closes its output before it is ready (the message has its log), or says
     *     something else
     */
    ServerProcess awaitReady() throws IOException {
        JsonNode first = answer();
        Thread drain = new Thread(() -> lines.lines().forEach(ignored -> {}), name + "-stdout");
        drain.setDaemon(true);
        drain.start();
        ready = first;
        return this;
    }

    /**
     * Waits for its next line on standard output, one JSON object; not after {@link #awaitReady}, which takes all others.
     *
     * @throws IOException when the process ends or closes its output instead (the message has its log), or says something
     *     else
     */
    public JsonNode answer() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException(name + " ended:\n" + Files.readString(log));
        }
        return parsed(line);
    }

    /** Writes a line to its standard input. */
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
            throw new IOException(name + " said \"" + line + "\" (expected: one JSON object)", e);
        }
    }

    public String name() {
        return name;
    }

    /** What the process said when it was ready. */
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

    /** SIGKILL, and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        await();
    }

    /** SIGSTOP: it no longer runs, but its connections stay open. */
    public void pause() {
        signal("STOP");
    }

    /** SIGCONT. */
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

    /** SIGTERM, also to what the launcher may be running; does not wait. */
    void terminate() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }

    /** SIGTERM, then SIGKILL if it does not end in time. */
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
