package io.cloudmw.lab.torture;

import io.cloudmw.lab.fleet.LiveOutput;
import io.cloudmw.lab.torture.model.FindingKind;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A display of the run's progress. A terminal shows one line that is repainted; other output gets a line every ten
 * seconds.
 */
final class TortureView implements AutoCloseable {
    private static final long TERMINAL_MILLIS = 500;
    private static final long LINE_MILLIS = 10_000;
    private static final int WIDTH = 100;

    private final TortureRun run;
    private final Faults faults;
    private final PrintWriter out;
    private final LiveOutput output;
    private final ScheduledExecutorService painter =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "torture-view"));
    private int painted;

    TortureView(TortureRun run, Faults faults, PrintWriter out) {
        this.run = run;
        this.faults = faults;
        this.out = out;
        this.output = run.settings().output();
    }

    /** Starts the display, which runs until it is closed. */
    void start() {
        if (output == LiveOutput.NONE) {
            return;
        }
        long period = isPainted() ? TERMINAL_MILLIS : LINE_MILLIS;
        var unused = painter.scheduleAtFixedRate(this::paint, period, period, TimeUnit.MILLISECONDS);
    }

    /** Sets the current phase of the run. */
    synchronized void phase(String what) {
        if (output != LiveOutput.NONE) {
            out.println(what);
            out.flush();
        }
        painted = 0;
    }

    private boolean isPainted() {
        return output == LiveOutput.PAINTED;
    }

    private synchronized void paint() {
        List<String> lines = lines();
        if (isPainted() && painted > 0) {
            out.printf("\u001b[%dA\u001b[J", painted);
        }
        lines.forEach(out::println);
        out.flush();
        painted = lines.size();
    }

    private List<String> lines() {
        int injected =
                faults.counts().values().stream().mapToInt(AtomicInteger::get).sum();
        String summary = String.format(
                Locale.ROOT,
                "%.0f of %d s: %d operations, %d faults; %s",
                run.now() / 1e9,
                run.settings().duration().toSeconds(),
                run.operations().total(),
                injected,
                Arrays.stream(FindingKind.values())
                        .map(kind -> run.journal().count(kind) + " " + TortureReport.label(kind))
                        .collect(Collectors.joining(", ")));
        String last = run.journal().last().lines().findFirst().orElse("");
        return isPainted() ? List.of(summary, last.substring(0, Math.min(WIDTH, last.length()))) : List.of(summary);
    }

    @Override
    public void close() {
        painter.shutdownNow();
    }
}
