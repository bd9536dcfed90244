package io.cloudmw.lab.demo;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.config.Sizes;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of the demo.
 *
 * @param last the last read by {@code cooperative}, in detail
 * @param runs times of one store alone, of {@code rounds} and of {@code cooperative}, in this order
 */
public record DemoReport(LastRead last, List<ReadTimes> runs) {
    private static final int BAR = 40;
    private static final double NO_TIME = 1e-9;

    /** Copies the list. */
    public DemoReport {
        runs = List.copyOf(runs);
    }

    /**
     * The last read, in which a helper may have been killed.
     *
     * @param sha256 of the source
     * @param sha256Match whether the bytes that were read have the same digest
     * @param kill the helper that was killed during the read
     */
    public record LastRead(
            GetReceipt receipt, int replicas, String mode, String sha256, boolean sha256Match, Optional<Kill> kill) {
        private double seconds() {
            return receipt.elapsed().toNanos() / 1e9;
        }
    }

    /**
     * A helper that was killed.
     *
     * @param deliveredBytes bytes that the client had by then
     */
    public record Kill(String helper, long deliveredBytes) {}

    /** Returns whether the last read brought the source's bytes. */
    public boolean sha256Match() {
        return last.sha256Match();
    }

    /** The fields of the JSON object, in their order. */
    public Map<String, Object> json() {
        GetReceipt receipt = last.receipt();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("bytes", receipt.bytes());
        fields.put("chunks", receipt.version().chunkCount());
        fields.put("replicas", last.replicas());
        fields.put("mode", last.mode());
        fields.put("sha256_match", last.sha256Match());
        fields.put("sha256", last.sha256());
        fields.put("seconds", rounded(last.seconds()));
        fields.put("single_store_seconds", rounded(alone().medianSeconds()));
        fields.put("useful_bytes", receipt.usefulBytes());
        fields.put("wasted_bytes", receipt.wastedBytes());
        fields.put("attempts", receipt.attempts());
        fields.put("cancelled", receipt.cancelled());
        fields.put("winners", receipt.winners());
        fields.put("killed_helper", last.kill().map(Kill::helper).orElse(null));
        fields.put("killed_after_bytes", last.kill().map(Kill::deliveredBytes).orElse(null));
        fields.put("runs", runs.stream().map(ReadTimes::json).toList());
        return fields;
    }

    /** Rounds to three decimals. */
    static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private ReadTimes alone() {
        return runs.get(0);
    }

    private ReadTimes best() {
        return runs.get(runs.size() - 1);
    }

    /** Prints the last read, the table with its bars, and the speed-up. */
    public void print(PrintWriter out) {
        printLast(out);
        printRuns(out);
        out.printf(
                Locale.ROOT,
                "%n%s read the file %.1f times as fast as one store alone%s, for %.2f times its bytes%s.%n",
                last.mode(),
                alone().medianSeconds() / Math.max(NO_TIME, best().medianSeconds()),
                best().reads() == 1 ? " in a single read of each (--runs makes more)" : "",
                best().bytesRatio(),
                last.kill().isPresent() ? ", although a helper was killed" : "");
        out.flush();
    }

    private void printLast(PrintWriter out) {
        out.printf(Locale.ROOT, "%nthe last read:%n%-6s %-30s %-9s %s%n", "chunk", "winners", "attempts", "the others");
        Map<Long, List<Attempt>> byChunk = last.receipt().rows().stream()
                .collect(Collectors.groupingBy(Attempt::chunkIndex, TreeMap::new, Collectors.toList()));
        byChunk.forEach((chunk, attempts) -> out.printf(
                Locale.ROOT, "%-6d %-30s %-9d %s%n", chunk, winners(chunk), attempts.size(), others(attempts)));
        last.kill()
                .ifPresent(accident -> out.printf(
                        "helper %s was killed (SIGKILL) when %s had been delivered; attempts at its disk fail%n",
                        accident.helper(), Sizes.approximate(accident.deliveredBytes())));
        out.printf("SHA-256 %s: %s%n", last.sha256(), last.sha256Match() ? "the same" : "DIFFERENT");
    }

    private void printRuns(PrintWriter out) {
        double longest =
                runs.stream().mapToDouble(ReadTimes::slowestSeconds).max().orElse(0);
        out.printf(Locale.ROOT, "%n%-12s %8s %9s %11s%n", "read", "median", "slowest", "bytes/size");
        for (ReadTimes times : runs) {
            int median = bar(times.medianSeconds(), longest);
            int slowest = bar(times.slowestSeconds(), longest);
            out.printf(
                    Locale.ROOT,
                    "%-12s %6.2f s %7.2f s %11.2f  %s%n",
                    times.mode(),
                    times.medianSeconds(),
                    times.slowestSeconds(),
                    times.bytesRatio(),
                    "#".repeat(median) + "-".repeat(slowest - median));
        }
        out.printf("%45s%n", "# median, - slowest");
    }

    private static int bar(double seconds, double longest) {
        return (int) Math.round(BAR * seconds / Math.max(NO_TIME, longest));
    }

    private String winners(long chunk) {
        return last.receipt().wins().stream()
                .filter(win -> win.chunkIndex() == chunk)
                .map(Win::racer)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private String others(List<Attempt> attempts) {
        return attempts.stream()
                .filter(attempt -> attempt.state() != AttemptState.FINISHED || !won(attempt))
                .map(this::fate)
                .collect(Collectors.joining("; "));
    }

    private boolean won(Attempt attempt) {
        return last.receipt().wins().stream()
                .anyMatch(win -> win.block() == attempt.block() && win.racer().equals(attempt.racer()));
    }

    private String fate(Attempt attempt) {
        String what = attempt.racer() + " ";
        return what
                + switch (attempt.state()) {
                    case CANCELLED -> "cancelled after ";
                    case FAILED ->
                        "failed at " + attempt.store() + " ("
                                + attempt.error().map(Enum::name).orElse("?") + ") after ";
                    case STARTED, PROGRESSED ->
                        last.kill()
                                        .map(Kill::helper)
                                        .filter(attempt.racer()::equals)
                                        .isPresent()
                                ? "killed after "
                                : "let go after ";
                    case FINISHED -> "finished too late, with ";
                }
                + Sizes.approximate(attempt.bytes());
    }
}
