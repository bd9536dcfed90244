package io.cloudmw.lab.load;

import io.cloudmw.lab.race.Distribution;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The result of a load. Immutable. */
public final class LoadReport {
    private static final int SHOWN_SLOWEST = 5;

    private final LoadSettings settings;
    private final Map<String, Long> phaseNanos;
    private final List<LoadOperation> operations;

    /**
     * Creates a report.
     *
     * @param phaseNanos the length of each phase, in order; those after the first are compared with the second, which
     *     follows the warm-up
     */
    LoadReport(LoadSettings settings, Map<String, Long> phaseNanos, List<LoadOperation> operations) {
        this.settings = settings;
        this.phaseNanos = new LinkedHashMap<>(phaseNanos);
        this.operations = List.copyOf(operations);
    }

    /** Returns whether every operation of every phase succeeded with the expected result. */
    public boolean isClean() {
        return operations.stream().allMatch(operation -> operation.failure().isEmpty());
    }

    private long failures() {
        return operations.stream()
                .filter(operation -> operation.failure().isPresent())
                .count();
    }

    private List<LoadOperation> of(String phase, Predicate<LoadOperation.Kind> kinds) {
        return operations.stream()
                .filter(operation -> operation.phase().equals(phase) && kinds.test(operation.kind()))
                .toList();
    }

    /** Returns the distribution of the times of operations that succeeded, in milliseconds; empty without any. */
    private static Optional<Distribution> times(List<LoadOperation> some) {
        List<Double> millis = some.stream()
                .filter(operation -> operation.failure().isEmpty())
                .map(LoadOperation::millis)
                .toList();
        return millis.isEmpty() ? Optional.empty() : Optional.of(new Distribution(millis));
    }

    /** Returns the times of reads in the phase with which the others are compared. */
    private Optional<Distribution> base() {
        return phaseNanos.keySet().stream()
                .skip(1)
                .findFirst()
                .flatMap(phase -> times(of(phase, LoadOperation.Kind::isRead)));
    }

    /** Returns the {@code --json} object; its field names are frozen. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("clients", settings.clients());
        json.put("seed", settings.seed());
        json.put("size_bytes", settings.sizeBytes());
        json.put("operations", operations.size());
        json.put("failed_operations", failures());
        json.put(
                "phases",
                phaseNanos.entrySet().stream()
                        .map(entry -> phase(entry.getKey(), entry.getValue()))
                        .toList());
        return json;
    }

    private Map<String, Object> phase(String phase, long nanos) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("phase", phase);
        json.put("seconds", nanos / 1e9);
        Map<String, Object> reads = quantiles(of(phase, LoadOperation.Kind::isRead));
        base().ifPresent(base -> {
            if (reads.get("p50_millis") instanceof Double p50 && reads.get("p99_millis") instanceof Double p99) {
                reads.put("p50_ratio", p50 / base.quantile(0.5));
                reads.put("p99_ratio", p99 / base.quantile(0.99));
            }
        });
        json.put("reads", reads);
        for (LoadOperation.Kind kind : LoadOperation.Kind.values()) {
            json.put(kind.label(), quantiles(of(phase, kind::equals)));
        }
        return json;
    }

    private static Map<String, Object> quantiles(List<LoadOperation> some) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("count", some.size());
        json.put(
                "failed",
                some.stream()
                        .filter(operation -> operation.failure().isPresent())
                        .count());
        times(some).ifPresent(times -> {
            json.put("p50_millis", times.quantile(0.5));
            json.put("p99_millis", times.quantile(0.99));
            json.put("max_millis", times.quantile(1));
        });
        return json;
    }

    /** Prints tables: each kind of operation by phase, reads compared with before, and the slowest reads. */
    public void print(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%-12s %-7s %7s %7s %9s %9s %9s%n",
                "phase",
                "kind",
                "count",
                "failed",
                "p50 ms",
                "p99 ms",
                "max ms");
        for (String phase : phaseNanos.keySet()) {
            for (LoadOperation.Kind kind : LoadOperation.Kind.values()) {
                print(out, phase, kind.label(), of(phase, kind::equals));
            }
            print(out, phase, "reads", of(phase, LoadOperation.Kind::isRead));
        }
        out.println();
        base().ifPresent(base -> phaseNanos.keySet().stream()
                .skip(2)
                .forEach(phase -> times(of(phase, LoadOperation.Kind::isRead))
                        .ifPresent(times -> out.printf(
                                Locale.ROOT,
                                "%-12s reads: p50 %.2f times and p99 %.2f times as before%n",
                                phase,
                                times.quantile(0.5) / base.quantile(0.5),
                                times.quantile(0.99) / base.quantile(0.99)))));
        for (String phase : phaseNanos.keySet()) {
            of(phase, LoadOperation.Kind::isRead).stream()
                    .sorted(Comparator.comparingLong(LoadOperation::nanos).reversed())
                    .limit(SHOWN_SLOWEST)
                    .forEach(operation -> out.println("slow   " + operation.line()));
        }
        out.println(operations.size() + " operations, " + failures() + " failed");
        out.flush();
    }

    private static void print(PrintWriter out, String phase, String kind, List<LoadOperation> some) {
        Map<String, Object> values = quantiles(some);
        out.printf(
                Locale.ROOT,
                "%-12s %-7s %7s %7s %9s %9s %9s%n",
                phase,
                kind,
                values.get("count"),
                values.get("failed"),
                millis(values.get("p50_millis")),
                millis(values.get("p99_millis")),
                millis(values.get("max_millis")));
    }

    private static String millis(@Nullable Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.1f", number) : "-";
    }

    /** Writes a line for each operation, in the order of their ends. */
    public void write(Path file) throws IOException {
        Files.write(file, operations.stream().map(LoadOperation::line).toList());
    }
}
