package io.cloudmw.lab.demo;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.lab.fleet.LiveOutput;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A display of the running race. A terminal shows lines that are repainted in place; other output gets a line a second.
 */
final class LiveView implements AutoCloseable {
    private static final int BAR = 24;

    private final Scoreboard scoreboard;
    private final PrintWriter out;
    private final LiveOutput output;
    private final long chunkBytes;
    private final ScheduledExecutorService painter =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "demo-view"));
    private int painted;

    LiveView(Scoreboard scoreboard, PrintWriter out, LiveOutput output, long chunkBytes) {
        this.scoreboard = scoreboard;
        this.out = out;
        this.output = output;
        this.chunkBytes = Math.max(1, chunkBytes);
    }

    /** Starts the display, which runs until it is closed. */
    void start() {
        if (output == LiveOutput.NONE) {
            return;
        }
        long period = output == LiveOutput.PAINTED ? 100 : 1000;
        var unused = painter.scheduleAtFixedRate(this::paint, period, period, TimeUnit.MILLISECONDS);
    }

    private synchronized void paint() {
        if (output == LiveOutput.PAINTED) {
            paintInPlace();
        } else if (output == LiveOutput.LINES) {
            out.println(summary());
        }
        out.flush();
    }

    private void paintInPlace() {
        if (painted > 0) {
            out.printf("\u001b[%dA\u001b[J", painted);
        }
        out.println(summary());
        painted = 1;
        for (Attempt attempt : latestOfEachRacer()) {
            int filled = (int) Math.min(BAR, attempt.bytes() * BAR / chunkBytes);
            out.printf(
                    "  %-8s chunk %-4d %-10s [%s%s] %s%n",
                    attempt.racer(),
                    attempt.chunkIndex(),
                    word(attempt),
                    "#".repeat(filled),
                    ".".repeat(BAR - filled),
                    Sizes.approximate(attempt.bytes()));
            painted++;
        }
    }

    private String summary() {
        return String.format(
                Locale.ROOT,
                "delivered %s of %s in %d blocks%s",
                Sizes.approximate(scoreboard.delivered()),
                Sizes.approximate(scoreboard.total()),
                scoreboard.wins().size(),
                scoreboard.gone().isEmpty() ? "" : ", gone: " + String.join(", ", scoreboard.gone()));
    }

    private Collection<Attempt> latestOfEachRacer() {
        Map<String, Attempt> latest = new LinkedHashMap<>();
        scoreboard.attempts().forEach(attempt -> latest.put(attempt.racer(), attempt));
        return latest.values();
    }

    private String word(Attempt attempt) {
        if (scoreboard.gone().contains(attempt.racer())) {
            return "killed";
        }
        return attempt.state() == AttemptState.PROGRESSED
                ? "fetching"
                : attempt.state().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        painter.shutdownNow();
        paint();
    }
}
