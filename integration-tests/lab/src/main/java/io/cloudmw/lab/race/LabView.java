package io.cloudmw.lab.race;

import io.cloudmw.core.time.Ticker;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A display of the benchmark's progress. A terminal shows one line that is repainted; other output gets at most a line
 * in five seconds.
 */
public final class LabView {
    private final PrintWriter out;
    private final boolean terminal;
    private final int runs;
    private final long everyNanos;
    private final Ticker ticker = Ticker.system();
    private long lastNanos = ticker.nanos();
    private int painted;

    public LabView(PrintWriter out, boolean terminal, int runs) {
        this.out = out;
        this.terminal = terminal;
        this.runs = runs;
        everyNanos = terminal ? TimeUnit.MILLISECONDS.toNanos(200) : TimeUnit.SECONDS.toNanos(5);
    }

    /** Sets the current step. */
    public void say(String what) {
        out.println(what);
        out.flush();
        painted = 0;
    }

    void warmedUp(String contender, int run) {
        if (isTime()) {
            paint(String.format(Locale.ROOT, "warm-up %d: %s", run, contender));
        }
    }

    void unshaped(String contender, int run, int runs) {
        if (isTime()) {
            paint(String.format(Locale.ROOT, "nothing slowed, %d of %d: %s", run, runs, contender));
        }
    }

    void measured(RaceReport report, int run, String contender, Sample sample) {
        if (!isTime()) {
            return;
        }
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "run %d of %d, %s: %.3f s; p50 s so far:", run + 1, runs, contender, sample.seconds()));
        for (RaceReport.Row row : report.rows()) {
            text.append(String.format(Locale.ROOT, " %s %.3f", row.mode(), row.p50Seconds()));
        }
        paint(text.toString());
    }

    private boolean isTime() {
        long now = ticker.nanos();
        boolean time = now - lastNanos >= everyNanos;
        if (time) {
            lastNanos = now;
        }
        return time;
    }

    private void paint(String line) {
        if (terminal && painted > 0) {
            out.print("\u001b[1A\u001b[J");
        }
        painted = 1;
        out.println(line);
        out.flush();
    }
}
