package io.cloudmw.client.cli;

import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Shows how far a transfer, or a run over many files, is: a bar on a terminal, a line now and then elsewhere, nothing when quiet. */
abstract class Progress implements TransferListener, AutoCloseable {
    static Progress of(CommandContext context, GlobalOptions options, String task) {
        if (options.quiet()) {
            return new Silent(context, task);
        }
        return context.isTerminal() ? new Bar(context, task) : new Lines(context, task);
    }

    private final CommandContext context;
    private final String task;

    private Progress(CommandContext context, String task) {
        this.context = context;
        this.task = task;
    }

    final CommandContext context() {
        return context;
    }

    final String task() {
        return task;
    }

    @Override
    public void resumed(long bytes) {
        context.err().println(task + " goes on where it was interrupted: " + Sizes.approximate(bytes) + " are there");
    }

    @Override
    public void begunAnew(String why) {
        context.err().println(task + " begins anew: " + why);
    }

    @Override
    public void waiting(String why) {
        waiting(task, why);
    }

    /** A put among those that are shown waits for stores. */
    void waiting(String put, String why) {
        context.err().println(put + " waits for stores, about a minute at most: " + why);
    }

    /** So many files were deleted so far. */
    abstract void deleted(long files);

    @Override
    public void close() {}

    private static final class Silent extends Progress {
        Silent(CommandContext context, String task) {
            super(context, task);
        }

        @Override
        public void resumed(long bytes) {}

        @Override
        public void begunAnew(String why) {}

        @Override
        void waiting(String put, String why) {}

        @Override
        void deleted(long files) {}
    }

    /** Redrawn by a thread of its own. */
    private static final class Bar extends Progress {
        /** Asking a terminal for its width would take a library that also takes over Ctrl-C. */
        private static final int COLUMNS = 79;

        private @Nullable ProgressBar bar;
        private String unit = "";

        Bar(CommandContext context, String task) {
            super(context, task);
        }

        @Override
        public synchronized void progressed(long done, long total) {
            ProgressBar shown = in(" MiB", 1 << 20, total);
            if (total >= 0) {
                shown.maxHint(total); // a stream's, once it has ended
            }
            shown.stepTo(done);
        }

        @Override
        synchronized void deleted(long files) {
            in(" deleted", 1, -1).stepTo(files);
        }

        /** On a line of its own: the bar goes on below. */
        @Override
        synchronized void waiting(String put, String why) {
            if (bar != null) {
                context().err().println();
            }
            super.waiting(put, why);
        }

        /** What counts something else is another bar, below. */
        private ProgressBar in(String wanted, long size, long total) {
            ProgressBar shown = bar;
            if (shown == null || !unit.equals(wanted)) {
                close();
                shown = new ProgressBarBuilder()
                        .setTaskName(task())
                        .setInitialMax(total)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUnit(wanted, size)
                        .showSpeed()
                        .setConsumer(new me.tongfei.progressbar.ConsoleProgressBarConsumer(
                                context().err(), COLUMNS))
                        .build();
                bar = shown;
                unit = wanted;
            }
            return shown;
        }

        @Override
        public synchronized void close() {
            if (bar != null) {
                bar.close();
            }
        }
    }

    /** At most one line in five seconds. */
    private static final class Lines extends Progress {
        private static final long EVERY_NANOS = Duration.ofSeconds(5).toNanos();

        private final Ticker ticker = Ticker.system();
        private long lastNanos = ticker.nanos();

        Lines(CommandContext context, String task) {
            super(context, task);
        }

        @Override
        public synchronized void progressed(long done, long total) {
            if (isTime()) {
                String of = total < 0 ? "" : " of " + Sizes.approximate(total);
                context().err().println(task() + ": " + Sizes.approximate(done) + of);
            }
        }

        @Override
        synchronized void deleted(long files) {
            if (isTime()) {
                context().err().println(task() + ": " + files + " deleted");
            }
        }

        private synchronized boolean isTime() {
            long now = ticker.nanos();
            boolean time = now - lastNanos >= EVERY_NANOS;
            lastNanos = time ? now : lastNanos;
            return time;
        }
    }
}
