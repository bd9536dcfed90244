package io.cloudmw.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The dashboards and alert rules of {@code infra/monitoring}. */
final class MonitoringFiles {
    static final Path DIRECTORY = Path.of("..", "infra", "monitoring");
    static final Path RULES = DIRECTORY.resolve("rules").resolve("cloudmw.yml");
    static final Path RULE_TESTS = DIRECTORY.resolve("rules").resolve("cloudmw.test.yml");

    private static final Pattern METRIC = Pattern.compile("\\bcloudmw_[a-z_]+");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)\\s+expr: >-\\s+(.+)");

    private MonitoringFiles() {}

    /** The dashboards, by file name. */
    static Map<String, JsonNode> dashboards() throws IOException {
        Map<String, JsonNode> dashboards = new TreeMap<>();
        try (Stream<Path> files = Files.list(DIRECTORY.resolve("dashboards"))) {
            for (Path file : files.toList()) {
                dashboards.put(file.getFileName().toString(), new ObjectMapper().readTree(file.toFile()));
            }
        }
        return dashboards;
    }

    /** The queries of a dashboard, in a window of this length. */
    static Set<String> queries(JsonNode dashboard, String rateInterval) {
        Set<String> queries = new TreeSet<>();
        dashboard
                .path("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target ->
                                queries.add(target.path("expr").asText().replace("$__rate_interval", rateInterval))));
        return queries;
    }

    /** The expressions of the alerts, by their names. */
    static Map<String, String> alerts() throws IOException {
        return ALERT.matcher(Files.readString(RULES))
                .results()
                .collect(Collectors.toMap(
                        alert -> alert.group(1), alert -> alert.group(2).strip(), (one, other) -> other, TreeMap::new));
    }

    /** The metrics of CloudMW that a query names. */
    static Set<String> metrics(String query) {
        return METRIC.matcher(query).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }
}
