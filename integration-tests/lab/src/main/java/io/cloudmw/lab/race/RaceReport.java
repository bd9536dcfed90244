package io.cloudmw.lab.race;

import io.cloudmw.lab.s3.Traffic;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The result of {@code bench race}. Seconds are emulated seconds throughout. Confined to one thread. */
public final class RaceReport {
    private static final String SINGLE = "single";
    /** The CPU load from which processors limit the result rather than the stores. */
    private static final double BUSY = 0.9;

    private final LabSettings settings;
    private final Map<String, List<Sample>> measured = new LinkedHashMap<>();
    /** The samples measured while stores were slow. */
    private final Map<String, List<Sample>> slow = new LinkedHashMap<>();

    private final Map<String, List<Sample>> unshaped = new LinkedHashMap<>();

    RaceReport(LabSettings settings) {
        this.settings = settings;
    }

    void add(String contender, int run, Sample sample) {
        measured.computeIfAbsent(contender, name -> new ArrayList<>()).add(sample);
        if (settings.isSlow(run)) {
            slow.computeIfAbsent(contender, name -> new ArrayList<>()).add(sample);
        }
    }

    void addUnshaped(String contender, Sample sample) {
        unshaped.computeIfAbsent(contender, name -> new ArrayList<>()).add(sample);
    }

    /** A row of the {@code --json} output: one contender. */
    record Row(
            String mode,
            int runs,
            double p50Seconds,
            double p99Seconds,
            double p999Seconds,
            double bytesRatio,
            double requestsRatio,
            double cpuLoad) {
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("mode", mode);
            json.put("runs", runs);
            json.put("p50_seconds", p50Seconds);
            json.put("p99_seconds", p99Seconds);
            json.put("p999_seconds", p999Seconds);
            json.put("bytes_ratio", bytesRatio);
            json.put("requests_ratio", requestsRatio);
            json.put("cpu_load", Double.isNaN(cpuLoad) ? null : cpuLoad);
            return json;
        }
    }

    List<Row> rows() {
        return rows(measured);
    }

    private List<Row> rows(Map<String, List<Sample>> samples) {
        List<Row> rows = new ArrayList<>();
        List<Sample> single = samples.get(SINGLE);
        samples.forEach((name, own) -> rows.add(row(name, own, single)));
        return rows;
    }

    private Row row(String name, List<Sample> own, @Nullable List<Sample> single) {
        Distribution seconds = distribution(own);
        Traffic crossed = crossed(own);
        long fileBytes = own.stream().mapToLong(Sample::fileBytes).sum();
        return new Row(
                name,
                seconds.count(),
                seconds.quantile(0.5),
                seconds.quantile(0.99),
                seconds.quantile(0.999),
                (double) crossed.bytes() / fileBytes,
                // Averages per run, since a report in the middle of the benchmark has contenders with different run
                // counts. Contender single makes one request for each chunk.
                perRun(own) / (single == null ? chunksPerRun(own) : perRun(single)),
                own.stream().mapToDouble(Sample::cpuLoad).average().orElse(Double.NaN));
    }

    private static double perRun(List<Sample> samples) {
        return (double) crossed(samples).requests() / samples.size();
    }

    private double chunksPerRun(List<Sample> samples) {
        return samples.stream()
                .mapToLong(sample -> settings.layout().chunks(sample.fileBytes()))
                .average()
                .orElseThrow();
    }

    private static Traffic crossed(List<Sample> samples) {
        return samples.stream().map(Sample::crossed).reduce(Traffic.NOTHING, Traffic::plus);
    }

    private static Distribution distribution(List<Sample> samples) {
        return new Distribution(samples.stream().map(Sample::seconds).toList());
    }

    /** Returns the plot of the shares of reads that finished within a time, as SVG. */
    public String plot() {
        Map<String, Distribution> all = new LinkedHashMap<>();
        measured.forEach((name, own) -> all.put(name, distribution(own)));
        return CdfPlot.svg(settings.emulation() + ", seed " + settings.seed(), all);
    }

    /**
     * Returns the lower limit for every contender: the average time in which the destination takes the files. Without a
     * cap on the destination: the fastest unslowed read of the largest file on this machine.
     */
    double floorSeconds() {
        if (settings.destinationBytesPerSecond().isPresent()) {
            double bytes = settings.sizes().stream()
                    .mapToLong(Long::longValue)
                    .average()
                    .orElseThrow();
            return bytes / settings.destinationBytesPerSecond().getAsLong();
        }
        return unshaped.values().stream()
                .mapToDouble(own -> distribution(own).smallest())
                .min()
                .orElse(Double.NaN);
    }

    /** Returns the {@code --json} object; its field names are frozen. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("modes", rows(measured).stream().map(Row::json).toList());
        json.put("floor_seconds", floorSeconds());
        json.put("seed", settings.seed());
        json.put("emulation", settings.emulation());
        json.put("time_scale", settings.timeScale());
        json.put("size_bytes", settings.sizes());
        json.put("n", settings.layout().chunks(Collections.max(settings.sizes())));
        json.put("k", settings.layout().replicas());
        json.put("helpers", settings.layout().helpers());
        if (!slow.isEmpty()) {
            json.put("slow_from", settings.slowFrom().getAsInt());
            json.put("slow_modes", rows(slow).stream().map(Row::json).toList());
        }
        Map<String, Object> fastest = new LinkedHashMap<>();
        unshaped.forEach((name, own) -> fastest.put(name, distribution(own).smallest()));
        json.put("unshaped_seconds", fastest);
        return json;
    }

    /** Prints a table for people. */
    public void print(PrintWriter out) {
        table(out, rows(measured));
        if (!slow.isEmpty()) {
            out.printf(
                    "%nfrom run %d on, with stores ten times as slow:%n",
                    settings.slowFrom().getAsInt());
            table(out, rows(slow));
        }
        out.printf(
                Locale.ROOT,
                "%nfloor %.3f s; seed %d%s%n",
                floorSeconds(),
                settings.seed(),
                settings.law().isPresent()
                        ? "; time scale " + settings.timeScale() + "; seconds are emulated ones"
                        : "");
        warnOfBusyProcessors(out);
        out.flush();
    }

    private void warnOfBusyProcessors(PrintWriter out) {
        String busy = rows(measured).stream()
                .filter(row -> row.cpuLoad() >= BUSY)
                .map(Row::mode)
                .collect(Collectors.joining(", "));
        if (!busy.isEmpty()) {
            out.println("this machine's processors were busy during " + busy
                    + ": those times are the machine's, not the stores' (less: --time-scale, --helpers, --size)");
        }
    }

    private static void table(PrintWriter out, List<Row> rows) {
        out.printf(
                "%-22s %6s %10s %10s %10s %8s %9s %5s%n",
                "mode", "runs", "p50 s", "p99 s", "p99.9 s", "bytes", "requests", "cpu");
        for (Row row : rows) {
            out.printf(
                    Locale.ROOT,
                    "%-22s %6d %10.3f %10.3f %10.3f %7.3fx %8.3fx %4.0f%%%n",
                    row.mode(),
                    row.runs(),
                    row.p50Seconds(),
                    row.p99Seconds(),
                    row.p999Seconds(),
                    row.bytesRatio(),
                    row.requestsRatio(),
                    100 * row.cpuLoad());
        }
    }
}
