package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.client.GetOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.testing.TestPorts;
import io.cloudmw.core.testing.TestPrograms;
import io.cloudmw.it.localstack.LocalStack;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the dashboards and alert rules with Prometheus itself, which scrapes a fleet. Without {@code prometheus} and
 * {@code promtool} on the path they are skipped with a message, unless {@code CLOUDMW_REQUIRE_PROMETHEUS=1}.
 */
final class PrometheusIT {
    private static final String REQUIRED = "cloudmw.require.prometheus";
    private static final long MIB = 1 << 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private static Path program(String name) {
        return TestPrograms.require(
                name,
                "[prometheus] not tested: no " + name + " on PATH (Debian has it in the package prometheus)",
                "CLOUDMW_REQUIRE_PROMETHEUS",
                LocalStack.setting(REQUIRED).isPresent());
    }

    private void promtool(String... arguments) throws IOException, InterruptedException {
        Path out = directory.resolve("promtool.out");
        Process process = new ProcessBuilder(
                        Stream.concat(Stream.of(program("promtool").toString()), Stream.of(arguments))
                                .toList())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(() -> read(out)).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void rulesAndTheExampleConfigurationAreValid() throws Exception {
        promtool(
                "check",
                "config",
                MonitoringFiles.DIRECTORY.resolve("prometheus.yml").toString());
        promtool("test", "rules", MonitoringFiles.RULE_TESTS.toString());
    }

    @Test
    void everyQueryReturnsDataOfAWorkingFleet() throws Exception {
        Path prometheus = program("prometheus");
        try (Fleet fleet = Fleet.hosted(directory.resolve("fleet"), Map.of("coordinator.http.listen", "127.0.0.1:0"))) {
            fleet.startDiskHelpers(2, "");
            var unused = fleet.startHelper(3, Map.of("helper.switch.volumes", "v", "helper.cache.memory", "16MiB"));
            FilePath file = new FilePath(fleet.volume("v", new Chunking.BySize(MIB), 2, Fleet.disks(1, 2)), "/f");
            Path source = fleet.file("source", 4 * MIB);
            int port = TestPorts.free();
            Process server = start(prometheus, port, fleet);
            try {
                Set<String> without = queries();
                await().until(() -> {
                    work(fleet, file, source);
                    without.removeIf(query -> hasData(port, query));
                    return without.isEmpty();
                });
                for (String alert : MonitoringFiles.alerts().values()) {
                    assertThat(query(port, alert).path("status").asText())
                            .as(alert)
                            .isEqualTo("success");
                }
            } finally {
                server.destroy();
                server.waitFor();
            }
        }
    }

    /** Writes and reads a file: through the switch, and by a race of two helpers. */
    private static void work(Fleet fleet, FilePath file, Path source) {
        fleet.put(source, file);
        var unusedCached = fleet.get(file, fleet.target("cached"));
        var unusedRaced = fleet.client()
                .files()
                .get(file, fleet.target("raced"), GetOptions.defaults().withMode(Mode.ROUNDS))
                .join();
    }

    private static Set<String> queries() throws IOException {
        Set<String> queries = new TreeSet<>();
        for (JsonNode dashboard : MonitoringFiles.dashboards().values()) {
            queries.addAll(MonitoringFiles.queries(dashboard, "10s"));
        }
        assertThat(queries).hasSizeGreaterThan(50);
        return queries;
    }

    private Process start(Path prometheus, int port, Fleet fleet) throws IOException {
        Path configuration = Files.writeString(directory.resolve("prometheus.yml"), """
                global:
                  scrape_interval: 1s
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: cloudmw-coordinator
                    static_configs: [{targets: ["%s"]}]
                  - job_name: cloudmw-helper
                    static_configs: [{targets: ["%s", "%s", "%s"]}]
                """.formatted(
                        MonitoringFiles.RULES.toAbsolutePath().normalize(),
                        fleet.coordinatorHttp(),
                        fleet.helperHttp(1),
                        fleet.helperHttp(2),
                        fleet.helperHttp(3)));
        return new ProcessBuilder(List.of(
                        prometheus.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + directory.resolve("tsdb"),
                        "--web.listen-address=127.0.0.1:" + port))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("prometheus.log").toFile())
                .start();
    }

    /** Returns whether a query has a result with a finite number. */
    private static boolean hasData(int port, String query) {
        for (JsonNode series : query(port, query).path("data").path("result")) {
            if (series.path("value").path(1).asText().matches("-?[0-9.e+-]+")) {
                return true;
            }
        }
        return false;
    }

    /** Asks Prometheus; an empty answer while it starts. */
    private static JsonNode query(int port, String query) {
        URI uri = URI.create(
                "http://127.0.0.1:" + port + "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        try {
            return new ObjectMapper()
                    .readTree(HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                            .body());
        } catch (IOException e) {
            return new ObjectMapper().createObjectNode();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
