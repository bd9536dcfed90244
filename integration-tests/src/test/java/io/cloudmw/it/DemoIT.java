package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Tests of {@code cloudmw demo} against the promises of the README. */
@ExtendWith(LocalStackExtension.class)
final class DemoIT {
    private final CommandLine commands = new CommandLine("127.0.0.1:1");

    @TempDir
    Path directory;

    @Test
    void theDemoBringsTheFileBackAlthoughItKillsAHelper() throws IOException {
        JsonNode report = commands.run("demo", "--size", "24MiB", "--runs", "2", "--json")
                .orThrow()
                .json();

        assertThat(report.path("bytes").asLong()).isEqualTo(24 << 20);
        assertThat(report.path("chunks").asInt()).isEqualTo(3);
        assertThat(report.path("replicas").asInt()).isEqualTo(3);
        assertThat(report.path("mode").asText()).isEqualTo("cooperative");
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
        assertThat(report.path("runs").findValuesAsText("mode")).containsExactly("single", "rounds", "cooperative");
        for (JsonNode kind : report.path("runs")) {
            double median = kind.path("median_seconds").asDouble();
            assertThat(median).isPositive();
            assertThat(kind.path("slowest_seconds").asDouble()).isGreaterThanOrEqualTo(median);
            assertThat(kind.path("bytes_ratio").asDouble()).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void demoReportsThatItKilledNoHelperWhenTheFileIsEmpty() {
        assertThat(commands.run("demo", "--size", "0", "--runs", "1").orThrow().out())
                .contains("no helper was killed")
                .doesNotContain("SIGKILL");
    }

    @Test
    void demoOfAGivenFileKillsNoHelperWithTheOptionForIt() throws IOException {
        Path file = directory.resolve("given");
        Files.writeString(file, "a few bytes");

        JsonNode report = commands.run("demo", "--file", file.toString(), "--runs", "1", "--no-kill", "--json")
                .orThrow()
                .json();

        assertThat(report.path("bytes").asLong()).isEqualTo(11);
        assertThat(report.path("sha256_match").asBoolean()).isTrue();
        assertThat(report.path("killed_helper").isNull()).isTrue();
    }

    /** The default build runs the next test instead, which is shorter. */
    @Test
    @Tag("full")
    void theDemoRunsOnBuckets(LocalStack localStack) throws IOException {
        JsonNode report = commands.with(localStack.environment())
                .run(
                        "demo",
                        "--size",
                        "6MiB",
                        "--runs",
                        "1",
                        "--no-kill",
                        "--s3-endpoint",
                        localStack.endpoint().toString(),
                        "--json")
                .orThrow()
                .json();

        assertThat(report.path("sha256_match").asBoolean()).isTrue();
    }

    @Test
    void theDemoRunsAgainOnTheSameBucketsAndLeavesOnlyThoseItDidNotMake(LocalStack localStack) throws Exception {
        localStack.createBucket("demo-own", "us-east-1");
        List<String> mine = List.of("demo-own", "demo-made-1", "demo-made-2");
        try (S3Client s3 = localStack.s3("us-east-1")) {
            s3.putObject(r -> r.bucket("demo-own").key("of-others"), RequestBody.fromString("x"));
            for (int run = 1; run <= 2; run++) {
                CommandLine.Result result = onBuckets(localStack.environment(), localStack.endpoint(), mine);
                assertThat(result.exitCode()).as(result.toString()).isZero();
                assertThat(result.out())
                        .containsPattern("deleted [1-9][0-9]* objects")
                        .doesNotContain("left: ");
                assertThat(keys(s3, "demo-own")).containsExactly("of-others");
                assertThat(s3.listBuckets().buckets().stream().map(Bucket::name))
                        .contains("demo-own")
                        .doesNotContain("demo-made-1", "demo-made-2");
            }
        }
    }

    @Test
    void anInterruptedDemoLeavesNothingInBuckets(LocalStack localStack) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(CommandLine.LAUNCHER.toString()));
        arguments.addAll(List.of("demo", "--size", "48MiB", "--no-kill", "--throttle", "4MiB/s"));
        arguments.addAll(List.of("--s3-endpoint", localStack.endpoint().toString()));
        arguments.addAll(List.of("--buckets", "demo-ended-1,demo-ended-2,demo-ended-3"));
        ProcessBuilder builder = new ProcessBuilder(arguments).redirectErrorStream(true);
        builder.environment().putAll(localStack.environment());
        builder.environment().putAll(ownDirectory());
        Process demo = builder.start();
        List<String> rest;
        try (var lines = demo.inputReader()) {
            assertThat(lines.lines().anyMatch(line -> line.startsWith("reading it")))
                    .isTrue();
            demo.toHandle().destroy();
            rest = lines.lines().toList();
        }

        assertThat(demo.waitFor()).as("%s", rest).isEqualTo(143);
        assertThat(rest).anyMatch(line -> line.matches("deleted [1-9][0-9]* objects .* demo-ended-1, .*"));
        try (S3Client s3 = localStack.s3("us-east-1")) {
            assertThat(s3.listBuckets().buckets().stream().map(Bucket::name))
                    .noneMatch(name -> name.startsWith("demo-ended"));
        }
        noDirectoryIsLeft();
    }

    @Test
    void unusableBucketsAreReportedBeforeAnythingStarts() throws IOException {
        CommandLine.Result nobody = onBuckets(
                Map.of("AWS_ACCESS_KEY_ID", "a", "AWS_SECRET_ACCESS_KEY", "b"),
                URI.create("http://127.0.0.1:1"),
                List.of("demo-a", "demo-b", "demo-c"));
        assertThat(nobody.exitCode()).as(nobody.toString()).isEqualTo(5);
        assertThat(nobody.out()).isEmpty();
        assertThat(nobody.err()).startsWith("cloudmw: bucket demo-a at http://127.0.0.1:1: ");
        noDirectoryIsLeft();
    }

    private CommandLine.Result onBuckets(Map<String, String> environment, URI endpoint, List<String> buckets) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(ownDirectory());
        return commands.with(all)
                .run(
                        "demo",
                        "--size",
                        "3MiB",
                        "--runs",
                        "1",
                        "--no-kill",
                        "--s3-endpoint",
                        endpoint.toString(),
                        "--buckets",
                        String.join(",", buckets));
    }

    private static List<String> keys(S3Client s3, String bucket) {
        return s3.listObjectsV2(r -> r.bucket(bucket)).contents().stream()
                .map(S3Object::key)
                .toList();
    }

    /** Returns an environment that puts all temporary files into the test's directory, so that leftovers are found. */
    private Map<String, String> ownDirectory() {
        return Map.of("CLOUDMW_JAVA_OPTS", CommandLine.shortLivedIn(directory));
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

    /** Uses SIGTERM, since a process in the background of a script ignores SIGINT. */
    @ParameterizedTest
    @ValueSource(strings = {"starting", "reading it"})
    void anInterruptedDemoLeavesNothing(String phase) throws Exception {
        assertLeavesNothing(phase);
    }

    @ParameterizedTest
    @ValueSource(strings = {"generating", "putting"})
    @Tag("full")
    void demoThatIsInterruptedInItsOtherPhasesLeavesNothing(String phase) throws Exception {
        assertLeavesNothing(phase);
    }

    private void assertLeavesNothing(String phase) throws Exception {
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
