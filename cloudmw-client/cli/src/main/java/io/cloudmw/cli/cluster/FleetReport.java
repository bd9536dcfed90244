package io.cloudmw.cli.cluster;

import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SpeedSummary;
import io.cloudmw.core.status.fleet.SwitchActivity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A fleet view as lines for people and as JSON. An unknown figure is {@code -} in a line, and absent from the JSON. */
final class FleetReport {
    private static final String SPEED = "%8s %9s %8s %8s %8s %8s %6s %7s";

    private FleetReport() {}

    /** @param pairs true adds the speed of each store as each helper sees it, by size of read */
    static List<String> lines(FleetView view, boolean pairs) {
        List<String> lines = new ArrayList<>();
        lines.add(format("%-20s %-7s ", "STORE", "STATE") + heading());
        for (FleetView.OfStore store : view.stores()) {
            lines.add(format("%-20s %-7s ", store.id(), store.available() ? "up" : "down") + figures(store.speed()));
        }
        lines.add("");
        lines.add(format("%-20s %-7s ", "HELPER", "STATE")
                + heading()
                + format(
                        " %9s %8s %8s %9s %7s %10s %10s",
                        "TRANSFERS", "ATTEMPTS", "WON", "CANCELLED", "FAILED", "RELAYED", "WASTED"));
        for (FleetView.OfHelper helper : view.helpers()) {
            HelperActivity activity = helper.activity();
            lines.add(format("%-20s %-7s ", helper.id(), state(helper))
                    + figures(helper.speed())
                    + format(
                            " %9d %8d %8d %9d %7d %10s %10s",
                            activity.transfers(),
                            activity.attempts(),
                            activity.wins(),
                            activity.cancelled(),
                            activity.failed(),
                            Sizes.approximate(activity.relayedBytes()),
                            Sizes.approximate(activity.wastedBytes())));
        }
        lines.addAll(switchLines(view));
        HedgeCounts hedges = hedges(view);
        lines.add("");
        lines.add(format(
                "hedges and hand-overs: %d issued, %d won, %d suppressed",
                hedges.issued(), hedges.won(), hedges.suppressed()));
        if (pairs) {
            lines.addAll(pairLines(view));
        }
        return lines;
    }

    private static String state(FleetView.OfHelper helper) {
        return helper.alive() ? "up" : "gone";
    }

    /** Returns lines about the helpers that are switches; none without switches. */
    static List<String> switchLines(FleetView view) {
        List<String> lines = new ArrayList<>();
        for (FleetView.OfHelper helper : view.helpers()) {
            helper.activity()
                    .switching()
                    .ifPresent(switching -> lines.add(format(
                            "%-20s %-7s %10s %10s %6s %11s %11s %11s %6d %6d",
                            helper.id(),
                            state(helper),
                            Sizes.approximate(switching.keptBytes()),
                            Sizes.approximate(switching.servedBytes()),
                            format("%.1f%%", 100 * switching.hitRatio()),
                            Sizes.approximate(switching.storeBytes()),
                            Sizes.approximate(switching.aboveBytes()),
                            Sizes.approximate(switching.belowBytes()),
                            switching.above(),
                            switching.below())));
        }
        if (!lines.isEmpty()) {
            lines.add(
                    0,
                    format(
                            "%-20s %-7s %10s %10s %6s %11s %11s %11s %6s %6s",
                            "SWITCH",
                            "STATE",
                            "KEPT",
                            "SERVED",
                            "HITS",
                            "FROM STORES",
                            "FROM ABOVE",
                            "SENT BELOW",
                            "ABOVE",
                            "BELOW"));
            lines.add(0, "");
        }
        return lines;
    }

    private static List<String> pairLines(FleetView view) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(format("%-20s %-20s %-7s ", "HELPER", "STORE", "SIZE") + heading());
        for (FleetView.OfPair pair : view.pairs()) {
            lines.add(
                    format("%-20s %-20s %-7s ", pair.helper(), pair.key().store(), size(pair)) + figures(pair.speed()));
        }
        if (view.pairsLeftOut() > 0) {
            lines.add(view.pairsLeftOut() + " more, read less");
        }
        return lines;
    }

    private static String size(FleetView.OfPair pair) {
        return pair.key().size().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the sum of all helpers. A transfer reports its hedges to a single helper, so none counts twice. */
    private static HedgeCounts hedges(FleetView view) {
        return view.helpers().stream()
                .map(helper -> helper.activity().hedges())
                .reduce(HedgeCounts.NONE, HedgeCounts::plus);
    }

    private static String heading() {
        return format(SPEED, "READS/S", "MiB/S", "STREAM", "P50 MS", "P95 MS", "P99 MS", "MOVED", "ERRORS");
    }

    private static String figures(SpeedSummary speed) {
        ExpectedSpeed expected = speed.expected();
        boolean known = expected.isKnown();
        return format(
                SPEED,
                format("%.1f", speed.readsPerSecond()),
                mebibytes(speed.bytesPerSecond()),
                speed.streamBytesPerSecond() > 0 ? mebibytes((double) speed.streamBytesPerSecond()) : "-",
                known ? millis(expected.firstByteP50Nanos()) : "-",
                known ? millis(expected.firstByteP95Nanos()) : "-",
                known ? millis(expected.firstByteP99Nanos()) : "-",
                known ? format("%.1fx", expected.medianShift()) : "-",
                known ? format("%.1f%%", 100 * expected.errorShare()) : "-");
    }

    private static String mebibytes(double bytes) {
        return format("%.1f", bytes / (1 << 20));
    }

    private static String millis(long nanos) {
        return format("%.1f", nanos / 1e6);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    static Map<String, Object> json(FleetView view) {
        List<Map<String, ?>> stores = new ArrayList<>();
        for (FleetView.OfStore store : view.stores()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", store.id().value());
            row.put("available", store.available());
            put(row, store.speed());
            stores.add(row);
        }
        List<Map<String, ?>> helpers = new ArrayList<>();
        for (FleetView.OfHelper helper : view.helpers()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", helper.id().value());
            row.put("alive", helper.alive());
            row.put("last_heartbeat_age_millis", helper.heartbeatAgeMillis());
            put(row, helper.activity());
            put(row, helper.speed());
            helpers.add(row);
        }
        List<Map<String, ?>> pairs = new ArrayList<>();
        for (FleetView.OfPair pair : view.pairs()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("helper", pair.helper().value());
            row.put("store", pair.key().store().value());
            row.put("size", size(pair));
            put(row, pair.speed());
            pairs.add(row);
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("stores", stores);
        object.put("helpers", helpers);
        object.put("pairs", pairs);
        object.put("pairs_left_out", view.pairsLeftOut());
        HedgeCounts hedges = hedges(view);
        object.put("hedges", Map.of("issued", hedges.issued(), "won", hedges.won(), "suppressed", hedges.suppressed()));
        return object;
    }

    /** Returns rows about the helpers that are switches. */
    static List<Map<String, ?>> switches(FleetView view) {
        List<Map<String, ?>> rows = new ArrayList<>();
        for (FleetView.OfHelper helper : view.helpers()) {
            helper.activity().switching().ifPresent(switching -> {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("id", helper.id().value());
                row.put("alive", helper.alive());
                row.putAll(json(switching));
                rows.add(row);
            });
        }
        return rows;
    }

    private static void put(Map<String, Object> row, HelperActivity activity) {
        row.put("transfers", activity.transfers());
        row.put("attempts", activity.attempts());
        row.put("wins", activity.wins());
        row.put("cancelled", activity.cancelled());
        row.put("failed", activity.failed());
        row.put("relayed_bytes", activity.relayedBytes());
        row.put("wasted_bytes", activity.wastedBytes());
        activity.switching().ifPresent(switching -> row.put("switch", json(switching)));
    }

    private static Map<String, Object> json(SwitchActivity switching) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("kept_bytes", switching.keptBytes());
        json.put("served_bytes", switching.servedBytes());
        json.put("hits", switching.hits());
        json.put("joined", switching.joined());
        json.put("misses", switching.misses());
        json.put("hit_ratio", switching.hitRatio());
        json.put("store_bytes", switching.storeBytes());
        json.put("above_bytes", switching.aboveBytes());
        json.put("below_bytes", switching.belowBytes());
        json.put("above", switching.above());
        json.put("below", switching.below());
        return json;
    }

    private static void put(Map<String, Object> row, SpeedSummary speed) {
        ExpectedSpeed expected = speed.expected();
        row.put("reads_per_second", speed.readsPerSecond());
        row.put("bytes_per_second", speed.bytesPerSecond());
        row.put("samples", expected.samples());
        if (expected.isKnown()) {
            row.put("first_byte_p50_seconds", expected.firstByteP50Nanos() / 1e9);
            row.put("first_byte_p95_seconds", expected.firstByteP95Nanos() / 1e9);
            row.put("first_byte_p99_seconds", expected.firstByteP99Nanos() / 1e9);
            row.put("median_shift", expected.medianShift());
            row.put("error_share", expected.errorShare());
        }
        if (speed.streamBytesPerSecond() > 0) {
            row.put("stream_bytes_per_second", speed.streamBytesPerSecond());
        }
        Map<String, Double> errors = new TreeMap<>();
        speed.errors().forEach((code, count) -> errors.put(code.name(), count));
        row.put("errors", errors);
    }
}
