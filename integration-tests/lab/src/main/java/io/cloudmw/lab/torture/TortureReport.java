package io.cloudmw.lab.torture;

import io.cloudmw.lab.torture.fault.FaultKind;
import io.cloudmw.lab.torture.fault.StoreLoss;
import io.cloudmw.lab.torture.model.Finding;
import io.cloudmw.lab.torture.model.FindingKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a torture run.
 *
 * @param operations by kind
 * @param packs batches of several small files: those that were put together, and those that were compacted
 * @param failures operations by error code
 * @param faults by kind
 * @param rotations of keys and certificates, by kind
 * @param counts of findings
 * @param findings the first of them
 * @param excusedReadFailures failed reads that the current faults explain, or may explain
 * @param losses lost stores, with the time until all their copies were made again
 * @param underReplicatedChunks of current files at the end
 * @param directory with every log
 */
public record TortureReport(
        TortureSettings settings,
        double seconds,
        Map<String, Long> operations,
        Map<String, Long> packs,
        Map<String, Long> failures,
        Map<String, Long> faults,
        Map<String, Long> rotations,
        Map<FindingKind, Long> counts,
        List<Finding> findings,
        long excusedReadFailures,
        List<StoreLoss> losses,
        long underReplicatedChunks,
        Path directory) {
    private static final String PUT = "put";
    private static final String COMPACTED = "compacted";

    public TortureReport {
        packs = Map.copyOf(packs);
        rotations = Collections.unmodifiableMap(new LinkedHashMap<>(rotations));
        losses = List.copyOf(losses);
        counts = new EnumMap<>(counts);
        findings = List.copyOf(findings);
    }

    static TortureReport of(TortureRun run, Faults faults, long underReplicatedChunks, Path directory)
            throws IOException {
        Map<String, Long> operations = new LinkedHashMap<>();
        run.operations().counts().forEach((operation, count) -> operations.put(operation.label(), count));
        Map<String, Long> failures = new LinkedHashMap<>();
        run.operations().failures().forEach((code, count) -> failures.put(code.name(), count));
        Map<String, Long> injected = new LinkedHashMap<>();
        faults.counts().forEach((kind, count) -> injected.put(kind.label(), count.longValue()));
        Map<FindingKind, Long> counts = new EnumMap<>(FindingKind.class);
        for (FindingKind kind : FindingKind.values()) {
            counts.put(kind, run.journal().count(kind));
        }
        return new TortureReport(
                run.settings(),
                run.now() / 1e9,
                operations,
                Map.of(
                        PUT, run.packs().put().get(),
                        COMPACTED, run.packs().compacted().get()),
                failures,
                injected,
                rotations(run, injected),
                counts,
                run.journal().findings(),
                run.operations().unavoidableReadFailures(),
                faults.losses(),
                underReplicatedChunks,
                directory);
    }

    /** Returns what was rotated: keys of tokens by the time that the run took, certificates by the audit trail. */
    private static Map<String, Long> rotations(TortureRun run, Map<String, Long> faults) throws IOException {
        Map<String, Long> rotations = new LinkedHashMap<>();
        for (FaultKind kind : List.of(FaultKind.AUTHORITY_REPLACED, FaultKind.SECRET_ROTATED)) {
            rotations.put(kind.label(), faults.getOrDefault(kind.label(), 0L));
        }
        rotations.put("token_keys", run.fleet().isPlainText() ? 0 : run.now() / TortureFleet.TOKEN_LIFE.toNanos());
        rotations.put("certificates", run.fleet().certificates());
        return rotations;
    }

    static String label(FindingKind kind) {
        return switch (kind) {
            case LOST_ACKNOWLEDGED_WRITE -> "lost_acknowledged_writes";
            case WRONG_BYTES -> "wrong_bytes";
            case AVOIDABLE_READ_FAILURE -> "avoidable_read_failures";
            case UNEXPLAINED -> "unexplained_answers";
        };
    }

    /** Returns whether the run has no findings. */
    public boolean isClean() {
        return counts.values().stream().allMatch(count -> count == 0);
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the fields of the JSON object, in their order. */
    public Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("operations", sum(operations));
        fields.put("faults", sum(faults));
        counts.forEach((kind, count) -> fields.put(label(kind), count));
        fields.put("seed", settings.seed());
        fields.put("seconds", Math.round(seconds * 10) / 10.0);
        fields.put("clients", settings.clients());
        fields.put("helpers", settings.helpers());
        fields.put("coordinators", settings.coordinators().count());
        fields.put("operations_by_kind", operations);
        fields.put("packs", packs.get(PUT));
        fields.put("compacted_packs", packs.get(COMPACTED));
        fields.put("errors_by_code", failures);
        fields.put("faults_by_kind", faults);
        fields.put("rotations", rotations);
        fields.put("excused_read_failures", excusedReadFailures);
        fields.put("under_replicated_chunks", underReplicatedChunks);
        fields.put("store_losses", losses.stream().map(StoreLoss::json).toList());
        if (!isClean()) {
            fields.put("directory", directory.toString());
        }
        return fields;
    }

    /** Prints the result for people. */
    public void print(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%n%d operations by %d clients on %d helpers in %.0f s (seed %d): %s%n",
                sum(operations),
                settings.clients(),
                settings.helpers(),
                seconds,
                settings.seed(),
                listed(operations));
        out.println("packs of small files: " + listed(packs));
        out.printf(Locale.ROOT, "%d faults: %s%n", sum(faults), listed(faults));
        out.println("rotations: " + listed(rotations));
        out.println("errors of operations: " + (failures.isEmpty() ? "none" : listed(failures)));
        out.println("failed reads that faults explain: " + excusedReadFailures);
        losses.forEach(out::println);
        out.println("chunks with a copy missing at the end: " + underReplicatedChunks);
        counts.forEach((kind, count) -> out.printf(Locale.ROOT, "%-26s %d%n", label(kind), count));
        if (!isClean()) {
            printFindings(out);
        }
    }

    private void printFindings(PrintWriter out) {
        for (Finding finding : findings) {
            out.println();
            out.println(finding.kind() + " " + finding.path() + ": " + finding.what());
            finding.history().forEach(line -> out.println("    " + line));
        }
        out.println();
        out.println("logs: " + directory);
        out.println("repeat with: " + settings.command());
    }

    private static String listed(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
