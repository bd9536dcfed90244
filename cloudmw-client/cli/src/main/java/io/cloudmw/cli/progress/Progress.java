package io.cloudmw.cli.progress;

import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.command.GlobalOptions;
import io.cloudmw.client.progress.PutDelay;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.tree.NameStyle;
import io.cloudmw.client.tree.TreeProgress;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.time.Ticker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The progress output of a command. On a terminal it repaints one line, elsewhere it prints a line now and then, and
 * with {@code --quiet} nothing. Safe for any thread.
 */
public final class Progress implements TransferListener, AutoCloseable {
    private static final long LINE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long PAINT_NANOS = Duration.ofMillis(200).toNanos();

    /** The assumed width. Asking the terminal would take a library that also takes over Ctrl-C. */
    private static final int COLUMNS = 79;

    /** The length below which the name of a task is not shortened. */
    private static final int SHORTEST_TASK = 12;

    private static final int TASK_START = 4;

    /** The form of the progress output. */
    private enum Form {
        QUIET,
        LINES,
        PAINTED
    }

    private final PrintStream err;
    private final Form form;
    private final String task;
    private final Ticker ticker;
    private final ProgressMeter meter;
    private long lastNanos;
    private long lastReasonNanos;
    private String lastReason = "";
    private int painted;
    private boolean changed;

    public static Progress of(CommandContext context, GlobalOptions options, String task) {
        Form shown = context.isTerminal() ? Form.PAINTED : Form.LINES;
        return new Progress(context.err(), options.quiet() ? Form.QUIET : shown, task, Ticker.system());
    }

    private Progress(PrintStream err, Form form, String task, Ticker ticker) {
        this.err = err;
        this.form = form;
        this.task = NameStyle.printable(task);
        this.ticker = ticker;
        this.meter = new ProgressMeter(ticker);
        this.lastNanos = ticker.nanos();
        this.lastReasonNanos = lastNanos - LINE_NANOS;
    }

    /** Returns whether anything is shown. */
    public boolean isShown() {
        return form != Form.QUIET;
    }

    @Override
    public void resumed(long bytes) {
        say(task + " goes on where it was interrupted: " + Sizes.approximate(bytes) + " are there");
    }

    @Override
    public void resuming(long mostBytes) {
        say(task + " goes on where it was interrupted: up to " + Sizes.approximate(mostBytes) + " are there");
    }

    @Override
    public synchronized void reused(long bytes) {
        meter.reused(bytes);
    }

    @Override
    public void begunAnew(String why) {
        say(task + " begins anew: " + why);
    }

    /** Prints a message on a line of its own, unless {@code --quiet} is set. */
    public synchronized void say(String line) {
        if (form != Form.QUIET) {
            wipe();
            err.println(line);
        }
    }

    /** Prints a message on a line of its own, even with {@code --quiet}. */
    public synchronized void tell(String line) {
        wipe();
        err.println(line);
    }

    private void wipe() {
        if (painted > 0) {
            err.print("\r" + " ".repeat(painted) + "\r");
            painted = 0;
        }
    }

    @Override
    public void waiting(PutDelay delay) {
        waiting(task, delay);
    }

    /** Reports that one of the puts shown waits. */
    public synchronized void waiting(String put, PutDelay delay) {
        meter.waiting(delay.lasted());
        String reason = NameStyle.printable(put + " waits: " + delay.text());
        boolean isTime = ticker.nanos() - lastReasonNanos >= LINE_NANOS;
        if (isTime && (form == Form.LINES || !reason.equals(lastReason))) {
            lastReasonNanos = ticker.nanos();
            lastNanos = lastReasonNanos;
            lastReason = reason;
            say(form == Form.LINES ? reason + " (" + meter.text() + ")" : reason);
        }
        show(PAINT_NANOS);
    }

    @Override
    public void progressed(long done, long total) {
        change(shown -> shown.progressed(done, total));
    }

    @Override
    public void sent(long bytes) {
        change(shown -> shown.sent(bytes));
    }

    public void advanced(TreeProgress now) {
        change(shown -> shown.tree(now));
    }

    /** Reports the progress of a command that counts other things than bytes. */
    public void counted(Tally tally) {
        change(shown -> shown.counted(tally));
    }

    private synchronized void change(Consumer<ProgressMeter> change) {
        change.accept(meter);
        changed = true;
        show(PAINT_NANOS);
    }

    private void show(long paintNanos) {
        long now = ticker.nanos();
        if (form == Form.LINES && now - lastNanos >= LINE_NANOS) {
            err.println(task + ": " + meter.text());
            lastNanos = now;
        } else if (form == Form.PAINTED && (painted == 0 || now - lastNanos >= paintNanos)) {
            String line = line(task, meter.text());
            err.print("\r" + line + " ".repeat(Math.max(0, painted - line.length())));
            err.flush();
            painted = line.length();
            lastNanos = now;
        }
    }

    /** Returns a line for a terminal. The name of the task is shortened before the counts are cut off. */
    public static String line(String task, String text) {
        int room = Math.max(SHORTEST_TASK, COLUMNS - text.length() - 2);
        String name = task.length() <= room
                ? task
                : task.substring(0, TASK_START) + "..." + task.substring(task.length() - room + TASK_START + 3);
        String line = name + ": " + text;
        return line.substring(0, Math.min(COLUMNS, line.length()));
    }

    /** Ends the output; the last line stays visible. */
    @Override
    public synchronized void close() {
        if (form == Form.PAINTED && changed) {
            show(0);
            err.println();
            painted = 0;
        }
    }
}
