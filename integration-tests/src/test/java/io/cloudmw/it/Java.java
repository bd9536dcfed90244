package io.cloudmw.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM process with the classes of this test run. */
public final class Java {
    private final Process process;
    private final Path log;

    private Java(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts a process with a main class of the tests. */
    public static Java start(Path log, List<String> options, Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new Java(process, log);
    }

    /** The process, for signals and its standard input. */
    public Process process() {
        return process;
    }

    /** Returns the exit code; kills the process after the time limit. */
    public int waitFor(long time, TimeUnit unit) throws InterruptedException {
        if (!process.waitFor(time, unit)) {
            process.destroyForcibly();
        }
        return process.waitFor();
    }

    /** Returns what the process has written so far. */
    public String log() throws IOException {
        return Files.readString(log);
    }
}
