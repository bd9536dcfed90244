package io.cloudmw.lab.fanout;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The schedule of {@code bench switch}: all clients read a set at once, several times; then one client reads small
 * pieces of it. Confined to one thread.
 */
public final class FanOutLab {
    /** The number of measured small reads for each warm-up read. */
    private static final int SMALL_WARM_UP = 4;

    private final FanOutSettings settings;
    private final FanOutTestbed testbed;
    private final LabSteps steps;
    private final Ticker ticker = Ticker.system();

    public FanOutLab(FanOutSettings settings, FanOutTestbed testbed, LabSteps steps) {
        this.settings = settings;
        this.testbed = testbed;
        this.steps = steps;
    }

    /**
     * Runs warm-ups, measured runs, then small reads.
     *
     * @throws IOException when a process ended that this did not kill
     */
    public FanOutReport run() throws IOException {
        FanOutReport report = new FanOutReport(settings);
        ExecutorService threads = Threads.unshared("lab-ask", testbed.readers().size());
        try {
            if (settings.hot() != FanOutSettings.Hot.NONE) {
                steps.say("switches read the set");
                FanOutSample unused = readAll(0, false, threads);
            }
            for (int run = -settings.warmUps(); run < settings.runs(); run++) {
                int set = settings.sets() == 1 ? 0 : run + settings.warmUps();
                FanOutSample sample = readAll(set, settings.kill(), threads);
                testbed.reviveSwitches();
                if (run >= 0) {
                    report.add(sample);
                }
                steps.say(String.format(
                        Locale.ROOT,
                        "%s %d: %.3f s",
                        run < 0 ? "warm-up" : "run",
                        run < 0 ? run + settings.warmUps() + 1 : run + 1,
                        sample.seconds()));
            }
            if (settings.small().isPresent()) {
                readSmall(settings.small().get(), report);
            }
        } finally {
            threads.shutdown();
        }
        testbed.store().check();
        return report;
    }

    private FanOutSample readAll(int set, boolean kill, ExecutorService threads) throws IOException {
        CpuTimes before = CpuTimes.of(testbed);
        long stored = testbed.store().sentBytes();
        AtomicBoolean killed = new AtomicBoolean(!kill);
        Map<String, ?> order = Map.of("do", "read", "path", testbed.set(set).toString(), "bytes", settings.setBytes());
        long start = ticker.nanos();
        List<JsonNode> answers = askAll(order, threads, () -> {
            if (killed.compareAndSet(false, true)) {
                testbed.switches().get(0).kill();
            }
        });
        double seconds = (ticker.nanos() - start) / 1e9;
        List<String> failures = new ArrayList<>();
        long repeated = 0;
        long rewritten = 0;
        for (JsonNode answer : answers) {
            answer.path("failures").forEach(failure -> failures.add(failure.asText()));
            repeated += answer.path("repeated_bytes").asLong();
            rewritten += answer.path("rewritten_bytes").asLong();
        }
        return new FanOutSample(
                seconds,
                testbed.store().sentBytes() - stored,
                failures,
                repeated,
                rewritten,
                CpuTimes.of(testbed).since(before));
    }

    /**
     * Orders all reading processes to read; runs {@code half} when the clients of one process have half of their bytes.
     */
    private List<JsonNode> askAll(Map<String, ?> order, ExecutorService threads, Runnable half) throws IOException {
        List<CompletableFuture<JsonNode>> asked = testbed.readers().stream()
                .map(process -> CompletableFuture.supplyAsync(() -> ask(process, order, half), threads))
                .toList();
        try {
            return asked.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException known) {
                throw known.getCause();
            }
            throw e;
        }
    }

    private static JsonNode ask(ServerProcess process, Map<String, ?> order, Runnable half) {
        try {
            process.say(order);
            JsonNode answer = process.answer();
            while (answer.has("half")) {
                half.run();
                answer = process.answer();
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readSmall(FanOutSettings.SmallReads small, FanOutReport report) throws IOException {
        steps.say("single reads of " + small.bytes() + " bytes");
        JsonNode unused = askSmall(small, Math.max(1, small.reads() / SMALL_WARM_UP), -1);
        for (int run = 0; run < settings.runs(); run++) {
            report.addSmall(false, askSmall(small, small.reads(), run));
            if (!testbed.neighbours().isEmpty()) {
                askBusy(small, run, report);
            }
        }
    }

    private void askBusy(FanOutSettings.SmallReads small, int run, FanOutReport report) throws IOException {
        for (ServerProcess process : testbed.neighbours()) {
            process.say(Map.of("do", "loop", "path", testbed.set(0).toString()));
            JsonNode unused = process.answer();
        }
        long start = ticker.nanos();
        report.addSmall(true, askSmall(small, small.reads(), run));
        for (ServerProcess process : testbed.neighbours()) {
            process.say(Map.of("do", "stop"));
            report.addNeighbours(process.answer(), (ticker.nanos() - start) / 1e9);
        }
    }

    private JsonNode askSmall(FanOutSettings.SmallReads small, int count, int run) throws IOException {
        ServerProcess reader = testbed.readers().get(0);
        reader.say(Map.of(
                "do",
                "small",
                "path",
                testbed.set(0).toString(),
                "bytes",
                settings.setBytes(),
                "length",
                small.bytes(),
                "count",
                count,
                "seed",
                settings.seed() + run));
        return reader.answer();
    }
}
