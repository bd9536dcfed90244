package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cloudmw demo}: what the README promises of it. */
@ExtendWith(LocalStackExtension.class)
final class DemoIT {
    private final CommandLine commands = new CommandLine("127.0.0.1:1");

    @TempDir
    Path directory;

    @Test
    void theDemoBringsTheFileBackAlthoughItKillsAHelper() throws IOException {
        JsonNode report =
                commands.run("demo", "--size", "24MiB", "--json").orThrow().json();

        assertThat(report.path("bytes").asLong()).isEqualTo(24 << 20);
        assertThat(report.path("chunks").asInt()).isEqualTo(3);
        assertThat(report.path("replicas").asInt()).isEqualTo(3);
        assertThat(report.path("mode").asText()).isEqualTo("rounds");
        assertThat(report.path("sha256_match").asBoolean()).isTrue();
        assertThat(report.path("seconds").asDouble()).isPositive();
        assertThat(report.path("single_store_seconds").asDouble()).isPositive();
        assertThat(report.path("useful_bytes").asLong()).isEqualTo(24 << 20);
        assertThat(report.path("wasted_bytes").asLong()).isNotNegative();
        assertThat(report.path("attempts").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(report.path("cancelled").isInt()).isTrue();
        assertThat(report.path("winners").size()).isPositive();
        assertThat(report.path("killed_helper").asText()).startsWith("helper-");
        assertThat(report.path("killed_after_bytes").asLong()).isBetween(8L << 20, 24L << 20);
    }

    @Test
    void theDemoSaysWhenThereWasNothingToKillAHelperIn() {
        assertThat(commands.run("demo", "--size", "0").orThrow().out())
                .contains("no helper was killed")
                .doesNotContain("SIGKILL");
    }

    @Test
    void theDemoTakesAGivenFileAndSparesTheHelpers() throws IOException {
        Path file = directory.resolve("given");
        Files.writeString(file, "a few bytes");

        JsonNode report = commands.run("demo", "--file", file.toString(), "--no-kill", "--json")
                .orThrow()
                .json();

        assertThat(report.path("bytes").asLong()).isEqualTo(11);
        assertThat(report.path("sha256_match").asBoolean()).isTrue();
        assertThat(report.path("killed_helper").isNull()).isTrue();
    }

    @Test
    void theDemoRunsOnBuckets(LocalStack localStack) throws IOException {
        JsonNode report = commands.with(localStack.environment())
                .run(
                        "demo",
                        "--size",
                        "6MiB",
                        "--no-kill",
                        "--s3-endpoint",
                        localStack.endpoint().toString(),
                        "--json")
                .orThrow()
                .json();

        assertThat(report.path("sha256_match").asBoolean()).isTrue();
    }

    /** Everything the demo leaves behind would be in its temporary directory. */
    private Map<String, String> ownDirectory() {
        return Map.of("CLOUDMW_JAVA_OPTS", "-Djava.io.tmpdir=" + directory);
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        CommandLine.LAUNCHER.toString(), "demo", "--size", "48MiB", "--no-kill")
                .redirectErrorStream(true);
        builder.environment().putAll(ownDirectory());
        return builder.start();
    }

    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(directory.toString()))
                .toList();
    }

    private void noDirectoryIsLeft() throws IOException {
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("cloudmw-demo-"));
        }
    }

    /** SIGTERM: a process in the background of a script has SIGINT ignored. */
    @ParameterizedTest
    @ValueSource(strings = {"generating", "starting", "putting", "reading it by the race"})
    void anInterruptedDemoLeavesNothing(String phase) throws Exception {
        Process demo = start();
        try (var lines = demo.inputReader()) {
            assertThat(lines.lines().anyMatch(line -> line.startsWith(phase))).isTrue();
            demo.toHandle().destroy();
            assertThat(demo.waitFor(2, TimeUnit.MINUTES)).isTrue();
        }

        assertThat(demo.exitValue()).isEqualTo(143);
        assertThat(processes()).isEmpty();
        noDirectoryIsLeft();
    }

    @Test
    void theProcessesOfAKilledDemoEndByThemselves() throws Exception {
        Process demo = start();
        List<ProcessHandle> children;
        try (var lines = demo.inputReader()) {
            assertThat(lines.lines().anyMatch(line -> line.startsWith("putting")))
                    .isTrue();
            children = demo.descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(4);
            demo.destroyForcibly().waitFor();
        }

        for (ProcessHandle child : children) {
            child.onExit().get(2, TimeUnit.MINUTES);
        }
        assertThat(processes()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--throttle, nonsense, 2",
        "--file, /, 2",
        "--file, nowhere, 2",
        "--s3-endpoint, banana, 2",
        "--s3-endpoint, ftp://host, 2",
        "--size, 900TiB, 7"
    })
    void mistakesAreFoundBeforeAnythingStarts(String option, String value, int exit) throws IOException {
        CommandLine.Result result = commands.with(ownDirectory()).run("demo", option, value);

        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exit);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("cloudmw: ");
        noDirectoryIsLeft();
    }
}
