package io.cloudmw.client.cli.demo;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
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
 * What the demo found.
 *
 * @param seconds the race, from asking to the last verified byte on disk
 * @param singleStoreSeconds the same bytes from one store alone
 * @param kill of a helper on the way, if there was one
 */
public record DemoReport(
        long bytes,
        long chunks,
        int replicas,
        String mode,
        boolean sha256Match,
        String sha256,
        double seconds,
        double singleStoreSeconds,
        long usefulBytes,
        long wastedBytes,
        long attempts,
        long cancelled,
        Map<String, Long> winners,
        Optional<Kill> kill,
        List<Win> wins,
        List<Attempt> rows) {

    /**
     * A helper that was killed.
     *
     * @param deliveredBytes that had arrived by then
     */
    public record Kill(String helper, long deliveredBytes) {}

    /** The fields of the JSON object, in their order. */
    public Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("bytes", bytes);
        fields.put("chunks", chunks);
        fields.put("replicas", replicas);
        fields.put("mode", mode);
        fields.put("sha256_match", sha256Match);
        fields.put("sha256", sha256);
        fields.put("seconds", rounded(seconds));
        fields.put("single_store_seconds", rounded(singleStoreSeconds));
        fields.put("useful_bytes", usefulBytes);
        fields.put("wasted_bytes", wastedBytes);
        fields.put("attempts", attempts);
        fields.put("cancelled", cancelled);
        fields.put("winners", winners);
        fields.put("killed_helper", kill.map(Kill::helper).orElse(null));
        fields.put("killed_after_bytes", kill.map(Kill::deliveredBytes).orElse(null));
        return fields;
    }

    private static double rounded(double seconds) {
        return Math.round(seconds * 1000) / 1000.0;
    }

    /** The table for people. */
    public void print(PrintWriter out) {
        out.printf(Locale.ROOT, "%n%-6s %-22s %-9s %s%n", "chunk", "winner", "attempts", "the others");
        Map<Long, List<Attempt>> byChunk =
                rows.stream().collect(Collectors.groupingBy(Attempt::chunkIndex, TreeMap::new, Collectors.toList()));
        byChunk.forEach((chunk, attempts) -> out.printf(
                Locale.ROOT, "%-6d %-22s %-9d %s%n", chunk, winner(chunk), attempts.size(), others(attempts)));
        out.printf(
                Locale.ROOT,
                "%n%s in %.2f s by the race, %.2f s from one store alone (%.1fx)%n",
                Sizes.approximate(bytes),
                seconds,
                singleStoreSeconds,
                singleStoreSeconds / seconds);
        out.printf(
                Locale.ROOT,
                "fetched %s: %s useful, %s given up by cancelled attempts%n",
                Sizes.approximate(usefulBytes + wastedBytes),
                Sizes.approximate(usefulBytes),
                Sizes.approximate(wastedBytes));
        kill.ifPresent(accident -> out.printf(
                "helper %s was killed (SIGKILL) when %s had been delivered%n",
                accident.helper(), Sizes.approximate(accident.deliveredBytes())));
        out.printf("SHA-256 %s: %s%n", sha256, sha256Match ? "the same" : "DIFFERENT");
        out.flush();
    }

    private String winner(long chunk) {
        return wins.stream()
                .filter(win -> win.chunkIndex() == chunk)
                .map(win -> win.racer() + " (" + win.store() + ")")
                .distinct()
                .collect(Collectors.joining(", then "));
    }

    private String others(List<Attempt> attempts) {
        return attempts.stream()
                .filter(attempt -> attempt.state() != AttemptState.FINISHED || !won(attempt))
                .map(this::fate)
                .collect(Collectors.joining("; "));
    }

    private boolean won(Attempt attempt) {
        return wins.stream()
                .anyMatch(win -> win.block() == attempt.block() && win.racer().equals(attempt.racer()));
    }

    private String fate(Attempt attempt) {
        String what = attempt.racer() + " ";
        return what
                + switch (attempt.state()) {
                    case CANCELLED -> "cancelled after ";
                    case FAILED -> "failed (" + attempt.error().map(Enum::name).orElse("?") + ") after ";
                    case STARTED, PROGRESSED ->
                        kill.map(Kill::helper).filter(attempt.racer()::equals).isPresent()
                                ? "killed after "
                                : "let go after ";
                    case FINISHED -> "finished too late, with ";
                }
                + Sizes.approximate(attempt.bytes());
    }
}
