package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of {@code cloudmw torture}: a short run under TLS is clean while everything is rotated, and an interrupted run
 * leaves nothing behind.
 */
final class TortureIT {
    private final CommandLine commands = new CommandLine("127.0.0.1:1");

    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    void shortRunHasNoLostWriteNoWrongByteAndNoAvoidableReadFailure() throws IOException {
        JsonNode report = cleanRun("6", "false");
        assertThatEverythingWasRotated(report, 3);
    }

    @Test
    @Tag("full")
    void shortRunInPlainTextIsClean() throws IOException {
        JsonNode report = cleanRun("1", "true");
        assertThat(report.path("rotations").path("authority_replaced").asInt()).isZero();
        assertThat(report.path("rotations").path("secret_rotated").asInt()).isPositive();
    }

    /** A run too short for all kinds of volume changes and rotations continues until each has happened. */
    @Test
    void shortestRunMakesEachChangeRotatesEverythingAndIsClean() throws IOException {
        JsonNode report = cleanRun("0.02", "false");
        assertThatEverythingWasRotated(report, 1);
    }

    /** A cluster has five processes and four clients here, of which each has a certificate. */
    private static void assertThatEverythingWasRotated(JsonNode report, int times) {
        JsonNode rotations = report.path("rotations");
        assertThat(rotations.path("authority_replaced").asInt())
                .as(report.toString())
                .isGreaterThanOrEqualTo(times);
        assertThat(rotations.path("secret_rotated").asInt())
                .as(report.toString())
                .isGreaterThanOrEqualTo(1);
        assertThat(rotations.path("token_keys").asInt()).as(report.toString()).isGreaterThanOrEqualTo(4);
        assertThat(rotations.path("certificates").asInt()).as(report.toString()).isGreaterThanOrEqualTo(3 * 8);
    }

    private JsonNode cleanRun(String minutes, String insecure) throws IOException {
        CommandLine.Result result = commands.with(Map.of("CLOUDMW_TLS_INSECURE", insecure))
                .run("torture", "--minutes", minutes, "--seed", "1", "--json");

        assertThat(result.exitCode()).as(result.toString()).isZero();
        JsonNode report = result.json();
        assertThat(report.path("operations").asLong()).isPositive();
        assertThat(report.path("packs").asLong()).isPositive();
        // Faults may end each compaction of a short run.
        assertThat(report.path("compacted_packs").isIntegralNumber()).isTrue();
        assertThat(report.path("faults").asLong()).isPositive();
        assertThat(report.path("seed").asLong()).isEqualTo(1);
        for (String found :
                List.of("lost_acknowledged_writes", "wrong_bytes", "avoidable_read_failures", "unexplained_answers")) {
            assertThat(report.path(found).isInt()).as(found).isTrue();
            assertThat(report.path(found).asInt()).as(found).isZero();
        }
        assertThatEachChangeWasMade(report);
        assertThat(report.path("coordinators").asInt()).isEqualTo(1);
        assertThat(report.path("store_losses"))
                .isNotEmpty()
                .allSatisfy(loss -> assertThat(
                                loss.path("seconds_to_full_replication").asDouble())
                        .isPositive());
        assertThat(report.path("under_replicated_chunks").asInt()).isZero();
        return report;
    }

    private static void assertThatEachChangeWasMade(JsonNode report) {
        for (String kind : List.of("store_lost", "bucket_lost", "store_leaves", "replicas_changed")) {
            assertThat(report.path("faults_by_kind").path(kind).asInt())
                    .as(kind)
                    .isPositive();
        }
    }

    /** Returns an environment that puts all temporary files into the test's directory, so that leftovers are found. */
    private Map<String, String> ownDirectory() {
        return Map.of("CLOUDMW_JAVA_OPTS", CommandLine.shortLivedIn(directory));
    }

    /** Uses SIGTERM, since a process in the background of a script ignores SIGINT. */
    @ParameterizedTest
    @ValueSource(strings = {"starting", "[0-9]+ of 300 s: "})
    void anInterruptedRunLeavesNothing(String line) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(CommandLine.LAUNCHER.toString(), "torture", "--minutes", "5")
                .redirectErrorStream(true);
        builder.environment().putAll(ownDirectory());
        Process torture = builder.start();
        try (var lines = torture.inputReader()) {
            assertThat(lines.lines().anyMatch(said -> said.matches(line + ".*")))
                    .isTrue();
            torture.toHandle().destroy();
            assertThat(torture.waitFor(2, TimeUnit.MINUTES)).isTrue();
        }

        assertThat(torture.exitValue()).isEqualTo(143);
        assertThat(ProcessHandle.allProcesses()
                        .filter(process ->
                                process.info().commandLine().orElse("").contains(directory.toString())))
                .isEmpty();
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("cloudmw-torture-"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--minutes, 0",
        "--minutes, nonsense",
        "--clients, 0",
        "--clients, 33",
        "--helpers, 2",
        "--coordinators, 2",
        "--coordinators, 6",
        "--catalog, nonsense",
        "--catalog-endpoint, http://127.0.0.1:1",
        "--catalog-region, eu-west-1",
        "--bytes, nonsense"
    })
    void mistakesAreFoundBeforeAnythingStarts(String option, String value) throws IOException {
        CommandLine.Result result = commands.with(ownDirectory()).run("torture", option, value);

        assertThat(result.exitCode()).as(result.toString()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("cloudmw: ");
    }
}
