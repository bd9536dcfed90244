package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of {@code cloudmw bench race} and {@code bench switch} against the promises of docs/cli.md. Measured speeds are
 * not tested.
 */
@ExtendWith(LocalStackExtension.class)
final class BenchIT {
    /**
     * The limit on bytes read from the store, in file sizes. Independent clients would read one file size each; on a
     * busy machine a late block may be read twice.
     */
    private static final double LATE_TOO = 1.7;

    @TempDir
    Path directory;

    /** Returns a command whose temporary files are all in the test's directory, so that leftovers are found. */
    private CommandLine commands(Map<String, String> more) {
        Map<String, String> environment = new java.util.HashMap<>(more);
        environment.put("CLOUDMW_JAVA_OPTS", CommandLine.shortLivedIn(directory));
        return new CommandLine("127.0.0.1:1").with(environment);
    }

    private static List<String> names(JsonNode report) {
        List<String> names = new ArrayList<>();
        report.path("modes").forEach(mode -> names.add(mode.path("mode").asText()));
        return names;
    }

    private void nothingIsLeft() throws IOException {
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("cloudmw-lab-"));
        }
    }

    @Test
    void everyModeIsMeasuredOnTheSameDraws() throws IOException {
        Path plot = directory.resolve("plot.svg");
        JsonNode report = commands(Map.of())
                .run(
                        "bench",
                        "race",
                        "--emulate",
                        "paper-table2",
                        "--time-scale",
                        "100",
                        "--size",
                        "3MB",
                        "--runs",
                        "2",
                        "--seed",
                        "5",
                        "--plot",
                        plot.toString(),
                        "--json")
                .orThrow()
                .json();

        assertThat(report.path("seed").asLong()).isEqualTo(5);
        assertThat(report.path("floor_seconds").asDouble()).isEqualTo(3 / 25.0);
        assertThat(report.path("modes").size()).isPositive();
        for (JsonNode mode : report.path("modes")) {
            assertThat(mode.path("mode").asText()).isNotEmpty();
            assertThat(mode.path("runs").asInt()).isEqualTo(2);
            assertThat(mode.path("p50_seconds").asDouble()).isGreaterThanOrEqualTo(3 / 25.0 * 0.9);
            assertThat(mode.path("p99_seconds").asDouble())
                    .isGreaterThanOrEqualTo(mode.path("p50_seconds").asDouble());
            assertThat(mode.path("p999_seconds").asDouble())
                    .isGreaterThanOrEqualTo(mode.path("p99_seconds").asDouble());
            assertThat(mode.path("bytes_ratio").asDouble()).isBetween(1.0, 10.0);
            assertThat(mode.has("requests_ratio")).isTrue();
        }
        assertThat(plot).content().startsWith("<svg");
        nothingIsLeft();
    }

    @Test
    void proxyAlsoShapesAGivenEndpoint(LocalStack localStack) throws IOException {
        JsonNode report = commands(localStack.environment())
                .run(
                        "bench",
                        "race",
                        "--emulate",
                        "s3-tail",
                        "--time-scale",
                        "10",
                        "--size",
                        "64KiB..300KiB",
                        "--runs",
                        "3",
                        "--warm-up",
                        "1",
                        "--modes",
                        "rounds,hedged,cooperative",
                        "--s3-endpoint",
                        localStack.endpoint().toString(),
                        "--json")
                .orThrow()
                .json();

        assertThat(names(report)).containsExactly("rounds", "hedged", "cooperative");
        assertThat(report.path("modes"))
                .allSatisfy(
                        mode -> assertThat(mode.path("bytes_ratio").asDouble()).isGreaterThanOrEqualTo(1));
        nothingIsLeft();
    }

    @Test
    void otherLibrariesReadTheSameFromTheSameStores() throws IOException {
        JsonNode report = commands(Map.of())
                .run(
                        "bench",
                        "race",
                        "--peers",
                        "--emulate",
                        "none",
                        "--size",
                        "1MiB",
                        "--runs",
                        "1",
                        "--modes",
                        "cooperative",
                        "--json")
                .orThrow()
                .json();

        assertThat(names(report)).containsExactly("cooperative", "s3-get-object", "s3-tm-java", "s3-tm-crt");
        assertThat(report.path("modes"))
                .allSatisfy(
                        mode -> assertThat(mode.path("bytes_ratio").asDouble()).isGreaterThanOrEqualTo(1));
        nothingIsLeft();
    }

    @Test
    void everyModeIsMeasuredOnAVolumeOfARunningClusterToo() throws IOException {
        try (Fleet fleet = Fleet.hostedDisks(directory, 3, "")) {
            VolumeName volume = fleet.volume("v", new Chunking.ByCount(2), 3, Fleet.disks(1, 2, 3));
            JsonNode report = new CommandLine(fleet.coordinatorAddress())
                    .with(Map.of("CLOUDMW_JAVA_OPTS", CommandLine.shortLivedIn(directory)))
                    .run("bench", "race", "--volume", "v", "--size", "3MiB", "--runs", "2", "--warm-up", "1", "--json")
                    .orThrow()
                    .json();

            assertThat(names(report))
                    .containsExactlyElementsOf(
                            Arrays.stream(Mode.values()).map(Mode::label).toList());
            for (JsonNode mode : report.path("modes")) {
                assertThat(mode.path("runs").asInt()).isEqualTo(2);
                assertThat(mode.path("p50_seconds").asDouble()).isPositive();
                assertThat(mode.path("bytes_ratio").asDouble()).isBetween(1.0, 3.5);
                assertThat(mode.path("requests_ratio").asDouble()).isPositive();
            }
            assertThat(report.path("emulation").asText()).isEqualTo("none");
            assertThat(report.path("time_scale").asDouble()).isEqualTo(1);
            assertThat(report.path("n").asInt()).isEqualTo(2);
            assertThat(report.path("k").asInt()).isEqualTo(3);
            assertThat(report.path("helpers").asInt()).isEqualTo(3);
            assertThat(fleet.client().files().list(volume, "/", "", 10).join().items())
                    .isEmpty();
        }
        nothingIsLeft();
    }

    @Test
    void clientsOfSwitchesReadTheStoreOnceTogether() throws IOException {
        JsonNode report = commands(Map.of())
                .run(
                        "bench",
                        "switch",
                        "--clients",
                        "3",
                        "--switches",
                        "2",
                        "--size",
                        "12MiB",
                        "--runs",
                        "2",
                        "--warm-up",
                        "0",
                        "--reads",
                        "4KiB",
                        "--read-count",
                        "20",
                        "--neighbours",
                        "1",
                        "--neighbour-command",
                        "nice -n 5",
                        "--json")
                .orThrow()
                .json();

        long set = 12 << 20;
        assertThat(report.path("set_bytes").asLong()).isEqualTo(set);
        assertThat((double) report.path("store_bytes").asLong()).isBetween((double) set, LATE_TOO * set);
        assertThat(report.path("failed_reads").asInt()).isZero();
        assertThat(report.path("rewritten_bytes").asInt(-1)).isZero();
        assertThat(report.path("run_seconds").size()).isEqualTo(2);
        assertThat(report.path("seconds").asDouble()
                        * report.path("aggregate_bytes_per_second").asDouble())
                .isBetween(2.9 * set, 3.1 * set);
        for (String role : List.of("switches", "clients", "store")) {
            assertThat(report.path("cpu_seconds_per_gib").path(role).asDouble()).isPositive();
        }
        JsonNode small = report.path("small_reads");
        assertThat(small.path("neighbours_bytes_per_second").asLong()).isPositive();
        for (String round : List.of("alone", "busy")) {
            assertThat(small.path(round).path("reads").asInt()).isEqualTo(40);
            assertThat(small.path(round).path("p99_seconds").asDouble())
                    .isGreaterThanOrEqualTo(
                            small.path(round).path("p50_seconds").asDouble());
        }
        nothingIsLeft();
    }

    /** The default build runs the test of a tree instead, which is shorter. */
    @Test
    @Tag("full")
    void killedSwitchFailsNoRead() throws IOException {
        JsonNode report = commands(Map.of())
                .run("bench", "switch", "--switches", "2", "--size", "48MiB", "--runs", "1", "--kill", "--json")
                .orThrow()
                .json();

        assertThat(report.path("failed_reads").asInt(-1)).isZero();
        assertThat(report.path("rewritten_bytes").asInt(-1)).isZero();
        nothingIsLeft();
    }

    /** Each client reads from the switch near it, and switches fetch missing blocks from each other. */
    @Test
    void clientsOfATreeReadTheStoreOnceTogether() throws IOException {
        JsonNode report = commands(Map.of())
                .run(
                        "bench",
                        "switch",
                        "--fanout",
                        "tree",
                        "--clients",
                        "4",
                        "--switches",
                        "3",
                        "--size",
                        "12MiB",
                        "--runs",
                        "1",
                        "--warm-up",
                        "0",
                        "--json")
                .orThrow()
                .json();

        long set = 12 << 20;
        assertThat(report.path("fanout").asText()).isEqualTo("tree");
        assertThat(report.path("clients").asInt()).isEqualTo(4);
        assertThat(report.path("switches").asInt()).isEqualTo(3);
        assertThat(report.path("set_bytes").asLong()).isEqualTo(set);
        assertThat((double) report.path("store_bytes").asLong()).isBetween((double) set, LATE_TOO * set);
        assertThat(report.path("seconds").asDouble()
                        * report.path("aggregate_bytes_per_second").asDouble())
                .isBetween(3.9 * set, 4.1 * set);
        assertThat(report.path("failed_reads").asInt(-1)).isZero();
        assertThat(report.path("repeated_bytes").asLong(-1)).isZero();
        assertThat(report.path("rewritten_bytes").asLong(-1)).isZero();
        nothingIsLeft();
    }

    @Test
    void killedSwitchOfATreeFailsNoReadAndRepeatsAtMostABlockPerClient() throws IOException {
        JsonNode report = commands(Map.of())
                .run(
                        "bench",
                        "switch",
                        "--fanout",
                        "tree",
                        "--clients",
                        "4",
                        "--switches",
                        "2",
                        "--size",
                        "48MiB",
                        "--runs",
                        "1",
                        "--kill",
                        "--json")
                .orThrow()
                .json();

        assertThat(report.path("failed_reads").asInt(-1)).isZero();
        assertThat(report.path("repeated_bytes").asLong(-1)).isBetween(0L, 4 * ModePolicy.SWITCHED_BLOCK_BYTES);
        assertThat(report.path("rewritten_bytes").asLong(-1))
                .as("only bytes that were received twice are written twice")
                .isBetween(0L, report.path("repeated_bytes").asLong());
        nothingIsLeft();
    }

    @Test
    void mistakesAreUsage() throws IOException {
        assertThat(commands(Map.of())
                        .run("bench", "race", "--emulate", "hurricane")
                        .exitCode())
                .isEqualTo(2);
        assertThat(commands(Map.of())
                        .run("bench", "switch", "--switches", "1", "--kill")
                        .exitCode())
                .isEqualTo(2);
        nothingIsLeft();
    }

    @Test
    void anInterruptedBenchLeavesNothing() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        CommandLine.LAUNCHER.toString(), "bench", "race", "--runs", "1000", "--size", "5MB")
                .redirectErrorStream(true);
        builder.environment().put("CLOUDMW_JAVA_OPTS", CommandLine.shortLivedIn(directory));
        Process process = builder.start();
        try (var lines = process.inputReader()) {
            // The first progress line after the start shows that the fleet is reading.
            assertThat(lines.lines().anyMatch(line -> line.contains("so far"))).isTrue();
            var children = process.descendants().toList();
            assertThat(children).isNotEmpty();
            // Not SIGINT, which a build in the background of a script inherits as ignored.
            new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(143);
            // A killed process counts as alive until the init process has reaped it.
            await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
        nothingIsLeft();
    }
}
