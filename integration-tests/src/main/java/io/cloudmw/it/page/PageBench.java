package io.cloudmw.it.page;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures the coordinator's web page with many helpers. Arguments: the launcher, a directory, and optionally the
 * numbers of helpers and stores, and the seconds of each measurement. It prints the processor time of the coordinator
 * with and without a viewer, in turn; then the first paint in Chromium, and the time from the end of
 * a helper's lease until the page shows it.
 */
public final class PageBench {
    private static final int ROUNDS = 3;
    private static final int PAINTS = 5;

    /** The part of a lease that is longer than a measurement, in which no helper sends a heartbeat. */
    private static final int MARGIN_SECONDS = 60;

    private static final int KILLED = 5;
    private static final long KILL_MILLIS = 3000;

    private final PrintStream out;
    private final ReportingFleet fleet;
    private final URI page;
    private final long pid;
    private final long measuredNanos;

    private PageBench(PrintStream out, ReportingFleet fleet, String http, long pid, int seconds) {
        this.out = out;
        this.fleet = fleet;
        this.page = URI.create("http://" + http);
        this.pid = pid;
        this.measuredNanos = TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Runs the benchmark. */
    @SuppressWarnings("SystemOut") // a command
    public static void main(String... args) throws Exception {
        Path directory = Path.of(args[1]);
        int helpers = args.length > 2 ? Integer.parseInt(args[2]) : 1000;
        int stores = args.length > 3 ? Integer.parseInt(args[3]) : 200;
        int seconds = args.length > 4 ? Integer.parseInt(args[4]) : 60;
        try (LocalFleet processes =
                new LocalFleet(directory, Path.of(args[0]), Map.of("CLOUDMW_TLS_INSECURE", "true"))) {
            ServerProcess coordinator = processes.startCoordinator(Map.of(
                    "coordinator.http.listen",
                    "127.0.0.1:0",
                    "coordinator.helper-ttl",
                    (seconds + MARGIN_SECONDS) + "s"));
            try (ReportingFleet fleet = new ReportingFleet(
                    HostPort.parse(processes.coordinatorAddress()), processes.secretFile(), helpers, stores)) {
                System.out.println(helpers + " helpers, " + stores + " stores; no heartbeat during a measurement of "
                        + seconds + " s");
                new PageBench(
                                System.out,
                                fleet,
                                coordinator.ready().path("http").asText(),
                                coordinator.ready().path("pid").asLong(),
                                seconds)
                        .run();
            }
        }
    }

    private void run() throws Exception {
        double warm = withViewer();
        out.printf("warm-up with a viewer: %.2f%% of a core%n", warm);
        List<Double> more = new ArrayList<>();
        for (int round = 1; round <= ROUNDS; round++) {
            double without = percentOfACore();
            double with = withViewer();
            more.add(with - without);
            out.printf("round %d: %.2f%% of a core without a viewer, %.2f%% with one%n", round, without, with);
        }
        out.printf("the viewer costs the coordinator %.2f%% of a core (median)%n", median(more));
        paint();
    }

    private double withViewer() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request =
                HttpRequest.newBuilder(page.resolve("/api/events")).build();
        HttpResponse<InputStream> stream = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        long[] received = new long[1];
        Thread viewer = new Thread(() -> drain(stream.body(), received), "viewer");
        viewer.setDaemon(true);
        viewer.start();
        double percent = percentOfACore();
        stream.body().close();
        out.printf(
                "the viewer received %.0f KB/s%n", received[0] / 1e3 / TimeUnit.NANOSECONDS.toSeconds(measuredNanos));
        return percent;
    }

    private static void drain(InputStream in, long[] received) {
        byte[] buffer = new byte[1 << 16];
        try {
            int read = in.read(buffer);
            while (read >= 0) {
                received[0] += read;
                read = in.read(buffer);
            }
        } catch (IOException e) {
            // The measurement has ended.
        }
    }

    private double percentOfACore() throws IOException, InterruptedException {
        long unused = fleet.beat(0);
        double before = cpuSeconds(pid);
        Sleeper.system().sleep(measuredNanos);
        return 100 * (cpuSeconds(pid) - before) * 1e9 / measuredNanos;
    }

    private static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void paint() throws InterruptedException {
        Path chromium = Path.of("/usr/bin/chromium");
        if (!Files.isExecutable(chromium)) {
            out.println("no first paint: " + chromium + " is missing");
            return;
        }
        List<Double> paints = new ArrayList<>();
        try (Browser browser = new Browser(chromium, Path.of("/usr/bin/chromedriver"))) {
            for (int i = 0; i < PAINTS; i++) {
                browser.open("about:blank");
                browser.open(page.toString());
                paints.add(firstPaintMillis(browser));
            }
            follow(browser);
        }
        out.printf("first contentful paint in ms: %s, median %.0f%n", paints, median(paints));
    }

    /** Measures from the end of the lease of a helper that has died until the page counts it as away. */
    private void follow(Browser browser) throws InterruptedException {
        List<Long> last = new ArrayList<>();
        for (int killed = 1; killed <= KILLED; killed++) {
            last.add(fleet.beat(killed - 1));
            Sleeper.system().sleep(TimeUnit.MILLISECONDS.toNanos(KILL_MILLIS));
        }
        long unused = fleet.beat(KILLED);
        List<Double> delays = new ArrayList<>();
        for (int killed = 1; killed <= KILLED; killed++) {
            String expected = killed + " away";
            while (!browser.text("#tiles small").equals(expected)) {
                Sleeper.system().sleep(TimeUnit.MILLISECONDS.toNanos(10));
            }
            delays.add((Ticker.system().nanos() - last.get(killed - 1)) / 1e6
                    - TimeUnit.NANOSECONDS.toMillis(measuredNanos)
                    - TimeUnit.SECONDS.toMillis(MARGIN_SECONDS));
        }
        out.printf("shown after the end of the lease in ms: %s, median %.0f%n", delays, median(delays));
    }

    private static double firstPaintMillis(Browser browser) throws InterruptedException {
        while (true) {
            Object found =
                    browser.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? ''");
            if (found instanceof Number millis) {
                return millis.doubleValue();
            }
            Sleeper.system().sleep(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }
}
