package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The comparison of the dashboards and alert rules with {@code docs/metrics.md} and {@code docs/runbooks.md}. */
final class MonitoringFilesTest {
    private static final Set<String> OF_TIMERS = Set.of("_count", "_sum", "_max", "_bucket");

    /** The names of all metrics as Prometheus shows them. */
    private static Set<String> documented() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "metrics.md"))) {
            if (line.startsWith("| `cloudmw.")) {
                List<String> cells = List.of(line.split("\\|", -1));
                String unit = cells.get(3).strip();
                String name = new PrometheusNamingConvention()
                        .name(
                                cells.get(1).strip().replace("`", ""),
                                Meter.Type.valueOf(cells.get(2).strip().toUpperCase(Locale.ROOT)),
                                unit.isEmpty() ? null : unit);
                switch (cells.get(2).strip()) {
                    case "timer" -> OF_TIMERS.forEach(suffix -> names.add(name + suffix));
                    case "counter" -> names.add(name.endsWith("_total") ? name : name + "_total");
                    default -> names.add(name);
                }
            }
        }
        return names;
    }

    @Test
    void dashboardsAndAlertsNameDocumentedMetrics() throws IOException {
        Set<String> documented = documented();
        for (Map.Entry<String, JsonNode> dashboard :
                MonitoringFiles.dashboards().entrySet()) {
            for (String query : MonitoringFiles.queries(dashboard.getValue(), "5m")) {
                assertThat(documented)
                        .as(dashboard.getKey() + ": " + query)
                        .containsAll(MonitoringFiles.metrics(query));
            }
        }
        assertThat(MonitoringFiles.alerts())
                .hasSizeGreaterThan(10)
                .allSatisfy((name, expression) ->
                        assertThat(documented).as(name).containsAll(MonitoringFiles.metrics(expression)));
    }

    @Test
    void dashboardsHaveUniqueIdsAndPanelsWithDescriptions() throws IOException {
        Map<String, JsonNode> dashboards = MonitoringFiles.dashboards();
        assertThat(dashboards.values())
                .extracting(board -> board.path("uid").asText())
                .doesNotHaveDuplicates();
        assertThat(dashboards).hasSizeGreaterThanOrEqualTo(7).allSatisfy((file, board) -> {
            assertThat(file).isEqualTo(board.path("uid").asText().replace("cloudmw-", "") + ".json");
            assertThat(board.path("panels")).isNotEmpty().allSatisfy(panel -> {
                assertThat(panel.path("title").asText()).isNotBlank();
                assertThat(panel.path("description").asText()).isNotBlank();
                assertThat(panel.path("targets")).isNotEmpty();
            });
        });
    }

    @Test
    void eachAlertHasARunbookAndAUnitTest() throws IOException {
        Set<String> sections = Pattern.compile("(?m)^## (\\w+)$")
                .matcher(Files.readString(Path.of("..", "docs", "runbooks.md")))
                .results()
                .map(section -> section.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(sections).isEqualTo(MonitoringFiles.alerts().keySet());

        Set<String> tested = Pattern.compile("alertname: (\\w+)\\s+exp_alerts:\\s+- exp_labels")
                .matcher(Files.readString(MonitoringFiles.RULE_TESTS))
                .results()
                .map(test -> test.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(tested).isEqualTo(MonitoringFiles.alerts().keySet());

        List<String> runbooks = Pattern.compile("runbook: \"docs/runbooks.md#(\\w+)\"")
                .matcher(Files.readString(MonitoringFiles.RULES))
                .results()
                .map((MatchResult link) -> link.group(1))
                .sorted()
                .toList();
        assertThat(runbooks)
                .isEqualTo(MonitoringFiles.alerts().keySet().stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .sorted()
                        .toList());
    }
}
