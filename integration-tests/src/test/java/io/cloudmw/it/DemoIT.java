package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.it.localstack.LocalStackExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

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
}
