package io.cloudmw.lab.fanout;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.OperatingSystemMXBean;
import io.cloudmw.lab.race.Distribution;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The result of {@code bench switch}. Confined to one thread. */
public final class FanOutReport {
    private static final double GIB = 1L << 30;

    private final FanOutSettings settings;
    private final List<FanOutSample> samples = new ArrayList<>();
    private final List<Double> alone = new ArrayList<>();
    private final List<Double> busy = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private long neighbourBytes;
    private double neighbourSeconds;

    FanOutReport(FanOutSettings settings) {
        this.settings = settings;
    }

    void add(FanOutSample sample) {
        samples.add(sample);
        failures.addAll(sample.failures());
    }

    /** Adds the times of small reads, with or without busy neighbours. */
    void addSmall(boolean besideOthers, JsonNode answer) {
        List<Double> seconds = besideOthers ? busy : alone;
        answer.path("nanos").forEach(nanos -> seconds.add(nanos.asLong() / 1e9));
        addFailures(answer);
    }

    /** Adds the bytes that neighbours read during the small reads. */
    void addNeighbours(JsonNode answer, double seconds) {
        neighbourBytes += answer.path("read_bytes").asLong();
        neighbourSeconds += seconds;
        addFailures(answer);
    }

    private double neighbourBytesPerSecond() {
        return neighbourBytes / neighbourSeconds;
    }

    private void addFailures(JsonNode answer) {
        answer.path("failures").forEach(why -> failures.add(why.asText()));
    }

    /** Returns the reasons of all failed reads, whether or not a killed switch caused them; empty: no read failed. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns the median; of an even number of values the mean of the middle two. */
    private double median(ToDoubleFunction<FanOutSample> of) {
        double[] sorted = samples.stream().mapToDouble(of).sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private double aggregate() {
        return settings.clients() * settings.setBytes() / median(FanOutSample::seconds);
    }

    private double perGib(ToDoubleFunction<FanOutSample.Cpu> role) {
        double gib = settings.clients() * (settings.setBytes() / GIB);
        return median(sample -> role.applyAsDouble(sample.cpu()) / gib);
    }

    private long largest(ToDoubleFunction<FanOutSample> of) {
        return (long) samples.stream().mapToDouble(of).max().orElse(0);
    }

    /** Returns the {@code --json} object; its field names are frozen. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("clients", settings.clients());
        json.put("switches", settings.switches());
        json.put("fanout", settings.fanOut().label());
        json.put("hot", settings.hot().label());
        json.put("runs", samples.size());
        json.put("seed", settings.seed());
        json.put("set_bytes", settings.setBytes());
        json.put("leaf_bytes", settings.leafBytes());
        json.put("store_bytes", (long) median(FanOutSample::storeBytes));
        json.put("seconds", median(FanOutSample::seconds));
        json.put("aggregate_bytes_per_second", (long) aggregate());
        json.put("failed_reads", failures.size());
        json.put("repeated_bytes", largest(FanOutSample::repeatedBytes));
        json.put("rewritten_bytes", largest(FanOutSample::rewrittenBytes));
        json.put("run_seconds", samples.stream().map(FanOutSample::seconds).toList());
        Map<String, Object> cpu = new LinkedHashMap<>();
        cpu.put("switches", perGib(FanOutSample.Cpu::switches));
        cpu.put("clients", perGib(FanOutSample.Cpu::clients));
        cpu.put("store", perGib(FanOutSample.Cpu::store));
        json.put("cpu_seconds_per_gib", cpu);
        json.put("load_average", loadAverage());
        settings.small().ifPresent(small -> json.put("small_reads", json(small)));
        return json;
    }

    private Map<String, Object> json(FanOutSettings.SmallReads small) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bytes", small.bytes());
        json.put("alone", quantiles(alone));
        if (small.neighbours() > 0) {
            json.put("neighbours", small.neighbours());
            json.put("neighbours_bytes_per_second", (long) neighbourBytesPerSecond());
            json.put("busy", quantiles(busy));
        }
        return json;
    }

    private static Map<String, Object> quantiles(List<Double> seconds) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("reads", seconds.size());
        if (!seconds.isEmpty()) {
            Distribution distribution = new Distribution(seconds);
            json.put("p50_seconds", distribution.quantile(0.5));
            json.put("p99_seconds", distribution.quantile(0.99));
        }
        return json;
    }

    /** Returns the machine's load over the last minute, which includes other processes. */
    private static double loadAverage() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getSystemLoadAverage();
    }

    /** Prints the result for people. */
    public void print(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%d client(s), %d switch(es), %s: %.3f s, %.1f MiB/s together (median of %d)%n",
                settings.clients(),
                settings.switches(),
                settings.fanOut().label(),
                median(FanOutSample::seconds),
                aggregate() / (1 << 20),
                samples.size());
        out.printf(
                Locale.ROOT,
                "read from the store: %.3f of the set; repeated: %d bytes at most; failed reads: %d%n",
                median(FanOutSample::storeBytes) / settings.setBytes(),
                largest(FanOutSample::repeatedBytes),
                failures.size());
        out.printf(
                Locale.ROOT,
                "CPU-seconds for each GiB read: switches %.2f, clients %.2f, the store %.2f%n",
                perGib(FanOutSample.Cpu::switches),
                perGib(FanOutSample.Cpu::clients),
                perGib(FanOutSample.Cpu::store));
        print(out, "small reads", alone);
        print(
                out,
                String.format(
                        Locale.ROOT,
                        "small reads beside neighbours, who read %.1f MiB/s together",
                        neighbourBytesPerSecond() / (1 << 20)),
                busy);
        failures.stream().limit(3).forEach(why -> out.println("failed: " + why));
        out.flush();
    }

    private static void print(PrintWriter out, String what, List<Double> seconds) {
        if (!seconds.isEmpty()) {
            Distribution distribution = new Distribution(seconds);
            out.printf(
                    Locale.ROOT,
                    "%s: p50 %.0f us, p99 %.0f us (%d)%n",
                    what,
                    distribution.quantile(0.5) * 1e6,
                    distribution.quantile(0.99) * 1e6,
                    seconds.size());
        }
    }
}
