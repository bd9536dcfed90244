package io.cloudmw.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LoadReportTest {
    private static final LoadSettings SETTINGS =
            new LoadSettings(new VolumeName("v"), 2, 4, 4096, 512, Duration.ZERO, 1);

    private final Map<String, Long> phases = new LinkedHashMap<>();
    private final List<LoadOperation> operations = new ArrayList<>();

    private void add(String phase, LoadOperation.Kind kind, int millis, Optional<String> failure) {
        phases.put(phase, 2_000_000_000L);
        operations.add(new LoadOperation(
                phase, 1, kind, FilePath.parse("v:/f" + operations.size()), 0, millis * 1_000_000L, failure));
    }

    private LoadReport report() {
        return new LoadReport(SETTINGS, phases, operations);
    }

    private JsonNode phase(int number) {
        return new ObjectMapper()
                .<JsonNode>valueToTree(report().json())
                .path("phases")
                .path(number);
    }

    @Test
    void readsOfEachPhaseAreComparedWithTheFirstAfterTheWarmUp() {
        add(LoadGenerator.WARM_UP, LoadOperation.Kind.READ, 900, Optional.empty());
        for (int i = 1; i <= 100; i++) {
            add("before", i % 2 == 0 ? LoadOperation.Kind.READ : LoadOperation.Kind.RANGE, i, Optional.empty());
            add("kill", LoadOperation.Kind.READ, 3 * i, Optional.empty());
            add("kill", LoadOperation.Kind.PUT, 5000, Optional.empty());
        }
        assertThat(report().isClean()).isTrue();
        assertThat(phase(1).at("/reads/p99_millis").asDouble()).isEqualTo(99);
        assertThat(phase(1).at("/read/count").asInt()).isEqualTo(50);
        assertThat(phase(2).at("/phase").asText()).isEqualTo("kill");
        assertThat(phase(2).at("/seconds").asDouble()).isEqualTo(2);
        assertThat(phase(2).at("/reads/p50_millis").asDouble()).isEqualTo(150);
        assertThat(phase(2).at("/reads/p99_ratio").asDouble()).isEqualTo(3);
        assertThat(phase(2).at("/put/max_millis").asDouble()).isEqualTo(5000);
        assertThat(phase(2).at("/list/count").asInt(-1)).isZero();
    }

    @Test
    void failedOperationsAreCountedAndHaveNoTime() {
        add(LoadGenerator.WARM_UP, LoadOperation.Kind.READ, 1, Optional.empty());
        add("before", LoadOperation.Kind.READ, 10, Optional.empty());
        add("before", LoadOperation.Kind.READ, 9000, Optional.of("HELPER_UNAVAILABLE: gone"));
        assertThat(report().isClean()).isFalse();
        assertThat(report().json()).containsEntry("failed_operations", 1L);
        assertThat(phase(1).at("/reads/failed").asInt()).isEqualTo(1);
        assertThat(phase(1).at("/reads/max_millis").asDouble()).isEqualTo(10);
        StringWriter printed = new StringWriter();
        report().print(new PrintWriter(printed));
        assertThat(printed.toString()).contains("3 operations, 1 failed", "HELPER_UNAVAILABLE: gone");
    }
}
