package io.cloudmw.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job of Spark in local mode, with the jar beside the Netty, the Protobuf and the Hadoop that Spark brings. */
final class SparkIT {
    private static final Path JARS = Path.of("..", "..", "integration-tests", "spark", "target", "jars");

    /** Spark wants these packages of the JDK opened. */
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "jdk.internal.ref",
            "sun.nio.ch",
            "sun.nio.cs",
            "sun.security.action",
            "sun.util.calendar");

    @TempDir
    Path directory;

    private static List<String> spark() throws IOException {
        try (Stream<Path> jars = Files.list(JARS)) {
            return jars.map(jar -> jar.toAbsolutePath().normalize().toString())
                    .sorted()
                    .toList();
        }
    }

    private void compile(List<String> classPath) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int result = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-nowarn",
                "-cp",
                String.join(File.pathSeparator, classPath),
                "-d",
                directory.toString(),
                Path.of("src", "test", "spark", "SparkJob.java").toString());
        assertThat(result).isZero();
    }

    @Test
    void jobWritesATableAlthoughATaskIsInterruptedAndReadsIt() throws Exception {
        List<String> spark = spark();
        assertThat(spark).anyMatch(jar -> jar.contains("netty-common")).anyMatch(jar -> jar.contains("protobuf-java"));
        compile(spark);
        List<String> classPath =
                new ArrayList<>(List.of(directory.toString(), System.getProperty("cloudmw.shaded-jar")));
        classPath.addAll(spark);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx768m");
        command.add("-XX:TieredStopAtLevel=1");
        OPENED.forEach(opened -> command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), "SparkJob"));
        command.add("cloudmw://files@" + HadoopCluster.shared().coordinatorAddress() + "/spark");
        Path output = directory.resolve("output");
        Process job = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = job.waitFor(5, TimeUnit.MINUTES);
        job.destroyForcibly();
        assertThat(ended && job.exitValue() == 0).as(Files.readString(output)).isTrue();
        assertThat(Files.readAllLines(output)).contains("interrupting a task", "done");
    }
}
