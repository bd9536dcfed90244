package io.cloudmw.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.cloudmw.core.error.ErrorCode;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/metrics.md} with the code. */
final class MetricsDocumentTest {
    private record Row(String type, String unit, Set<String> tags) {}

    private final Map<String, Row> documented = documented();

    MetricsDocumentTest() throws IOException {}

    @Test
    void theDocumentListsEveryMeterAndNoOther() throws Exception {
        Set<String> names = new TreeSet<>();
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.cloudmw.core.metrics");
        for (JavaClass type : classes) {
            for (Field field : type.reflect().getDeclaredFields()) {
                if (Modifier.isPublic(field.getModifiers())
                        && field.getType() == String.class
                        && field.get(null) instanceof String name
                        && name.startsWith("cloudmw.")) {
                    names.add(name);
                }
            }
        }
        assertThat(documented.keySet()).containsExactlyElementsOf(names);
    }

    @Test
    void typeUnitAndTagsAreAsDocumented() {
        MeterRegistry meters = new SimpleMeterRegistry();
        BulkMetrics bulk = new BulkMetrics(meters);
        bulk.violation("any");
        bulk.memory(() -> 0, () -> 0);
        StoreMetrics store = new StoreMetrics(meters, "any");
        store.request("read");
        store.error("read", "INTERNAL");

        RaceMetrics race = new RaceMetrics(meters);
        race.cancelled();
        new MonitorMetrics(meters).evicted();
        TlsMetrics.watch(meters, OptionalLong::empty, OptionalLong::empty, () -> 0);
        new ScheduleMetrics(meters, "any").watch(priority -> 0);
        new UpkeepMetrics(meters).failed(ErrorCode.INTERNAL);
        new CacheMetrics(meters).holds(CacheMetrics.Tier.DISK, () -> 0);
        new SwitchMetrics(meters);
        ClientMetrics client = new ClientMetrics(meters);
        client.watch(() -> 0, () -> 0);
        client.ended("get", ClientMetrics.OK, 1, 1);
        PeerMetrics.watch(meters, this, new PeerMetrics.Client<>(any -> 0, any -> 0, any -> 0, any -> 0, any -> 0));
        PeerMetrics.watch(meters, this, new PeerMetrics.Coordinator<>(any -> 0, any -> 0, any -> 0));
        CoordinatorMetrics coordinator = new CoordinatorMetrics(meters);
        coordinator.called("any", CoordinatorMetrics.OK, 1);
        coordinator.looked("any", CoordinatorMetrics.OK, 1);
        coordinator.watch(
                () -> 0,
                new CoordinatorMetrics.Progress(
                        () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0));

        // This registry shows the buckets of a timer as gauges of their own.
        List<Meter> documentedMeters = meters.getMeters().stream()
                .filter(meter -> !meter.getId().getName().endsWith(".histogram"))
                .toList();
        assertThat(documentedMeters)
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(row(meter))
                        .as(meter.getId().getName())
                        .isEqualTo(documented.get(meter.getId().getName())));
    }

    private static Row row(Meter meter) {
        String unit = meter.getId().getBaseUnit();
        Set<String> tags = meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet());
        return new Row(meter.getId().getType().name().toLowerCase(Locale.ROOT), unit == null ? "" : unit, tags);
    }

    private static Map<String, Row> documented() throws IOException {
        Map<String, Row> rows = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "metrics.md"))) {
            if (line.startsWith("| `")) {
                List<String> cells = List.of(line.split("\\|", -1));
                Set<String> tags = new TreeSet<>(List.of(cells.get(4).strip().split(",\\s*", -1)));
                tags.remove("");
                rows.put(
                        cells.get(1).strip().replace("`", ""),
                        new Row(cells.get(2).strip(), cells.get(3).strip(), tags));
            }
        }
        return rows;
    }
}
