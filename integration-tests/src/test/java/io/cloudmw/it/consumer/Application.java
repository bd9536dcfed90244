package io.cloudmw.it.consumer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program compiled and run by one JDK, on the class path that Maven gives to an application. */
final class Application {
    private static final long LIMIT_MINUTES = 5;

    private final Jdk jdk;
    private final String classPath;
    private final Path directory;

    /** The JVM option for short-lived processes. The optimising compiler would take half of their processor time. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    /** The output and the exit code of a process. */
    record Said(int exitCode, String out, String err) {}

    /**
     * Compiles a program.
     *
     * @param project a directory of {@code integration-tests/consumer}
     * @param own further jars of the application
     */
    Application(Jdk jdk, String project, Path directory, String... own) throws IOException {
        this.jdk = jdk;
        this.directory = directory;
        List<String> elements = new ArrayList<>(classPath(project));
        elements.add(directory.toString());
        elements.addAll(List.of(own));
        this.classPath = String.join(File.pathSeparator, elements);
    }

    /** Returns the class path of an application, from the file that the build wrote. */
    static List<String> classPath(String project) throws IOException {
        Path written = Path.of("consumer", project, "target", "classpath");
        return List.of(Files.readString(written).strip().split(File.pathSeparator, -1));
    }

    Said compile(String name, String source) throws IOException, InterruptedException {
        Path file = directory.resolve(name + ".java");
        Files.writeString(file, source);
        return run(List.of(
                jdk.tool("javac").toString(),
                "-J" + SHORT_LIVED,
                "-cp",
                classPath,
                "-d",
                directory.toString(),
                file.toString()));
    }

    Said run(List<String> options, String main, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(jdk.tool("java").toString(), SHORT_LIVED));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return run(command);
    }

    private Said run(List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "out", ".txt");
        Path err = Files.createTempFile(directory, "err", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        Map<String, String> environment = builder.environment();
        // A JVM reports options from these variables on standard error.
        environment.keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        Process process = builder.start();
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return new Said(process.waitFor(), Files.readString(out), Files.readString(err));
    }
}
