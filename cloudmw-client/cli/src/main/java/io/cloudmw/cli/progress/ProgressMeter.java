package io.cloudmw.cli.progress;

import io.cloudmw.client.tree.TreeProgress;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The progress of a command in words: the amount done, the total, the rate and the time left. The amount never
 * falls. Pure but for its ticker; confined to one thread.
 */
final class ProgressMeter {
    private static final double SECOND = 1e9;
    private static final long SAMPLE_NANOS = Duration.ofSeconds(1).toNanos();
    /** The number of samples that the speed is averaged over. */
    private static final int SAMPLES = 15;

    /**
     * The progress at one time.
     *
     * @param moved bytes that this run transferred
     * @param done bytes that this run completed, transferred or not
     * @param files files, or other things counted, that are complete
     */
    private record Sample(long nanos, long moved, long done, long files) {}

    private final Ticker ticker;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long done;
    private long total = -1;
    private long sent = -1;
    private long reused;
    private Optional<TreeProgress> tree = Optional.empty();
    private Optional<Tally> counted = Optional.empty();
    private String waiting = "";

    ProgressMeter(Ticker ticker) {
        this.ticker = ticker;
        sample();
    }

    /** @param of the total; negative: not known yet */
    void progressed(long bytes, long of) {
        done = Math.max(done, bytes);
        total = Math.max(total, of);
        goesOn();
    }

    /**
     * Records that an earlier run has stored this many of the bytes done next. They do not count for the speed of this
     * run.
     */
    void reused(long bytes) {
        reused = Math.max(reused, bytes);
    }

    void sent(long bytes) {
        sent = Math.max(sent, bytes);
        goesOn();
    }

    void tree(TreeProgress now) {
        tree = Optional.of(now);
        goesOn();
    }

    /** Shows these counts instead of bytes. */
    void counted(Tally tally) {
        counted = Optional.of(tally);
        goesOn();
    }

    /** Shows that the command waits, until it makes progress again. */
    void waiting(Duration lasted) {
        waiting = "waits for " + lasted.toSeconds() + " s";
        sample();
    }

    private void goesOn() {
        waiting = "";
        sample();
    }

    private void sample() {
        long now = ticker.nanos();
        if (samples.isEmpty() || now - samples.getLast().nanos() >= SAMPLE_NANOS) {
            samples.add(now(now));
            if (samples.size() > SAMPLES) {
                samples.remove();
            }
        }
    }

    private Sample now(long nanos) {
        return counted.map(tally -> new Sample(nanos, 0, 0, tally.done()))
                .or(() -> tree.map(all -> new Sample(nanos, all.movedBytes(), all.bytes(), all.files())))
                .orElseGet(
                        () -> new Sample(nanos, Math.max(0, furthest() - reused), Math.max(0, furthest() - reused), 0));
    }

    private long furthest() {
        return Math.max(done, sent);
    }

    /** Returns the progress in words. */
    String text() {
        StringBuilder text = new StringBuilder(
                counted.map(Tally::text).or(() -> tree.map(ProgressMeter::text)).orElseGet(this::bytes));
        rate().ifPresent(rate ->
                text.append(", ").append(Sizes.approximate((long) rate)).append("/s"));
        left().ifPresent(seconds -> text.append(", about ").append(duration(seconds)));
        counted.map(Tally::details)
                .filter(details -> !details.isEmpty())
                .ifPresent(details -> text.append("; ").append(details));
        if (!waiting.isEmpty()) {
            text.append(", ").append(waiting);
        }
        return text.toString();
    }

    private String bytes() {
        String text = Sizes.approximate(done);
        if (total >= 0) {
            text += " of " + Sizes.approximate(total) + (total > 0 ? " (" + 100 * done / total + "%)" : "");
        }
        return sent > done ? text + " stored, " + Sizes.approximate(sent) + " sent" : text;
    }

    private static String text(TreeProgress all) {
        String atLeast = all.isCounted() ? "" : "at least ";
        String deleted = all.deleted() == 0 ? "" : ", " + number(all.deleted()) + " deleted";
        if (all.totalFiles() == 0 && all.deleted() > 0) {
            return number(all.deleted()) + " deleted";
        }
        return number(all.files()) + " of " + atLeast + number(Math.max(all.files(), all.totalFiles())) + " files, "
                + Sizes.approximate(all.bytes()) + " of " + atLeast
                + Sizes.approximate(Math.max(all.bytes(), all.totalBytes())) + deleted;
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private OptionalDouble rate() {
        return rate(now(ticker.nanos()).moved() - samples.getFirst().moved());
    }

    private OptionalDouble rate(long more) {
        long nanos = ticker.nanos() - samples.getFirst().nanos();
        return nanos < SAMPLE_NANOS || more <= 0 ? OptionalDouble.empty() : OptionalDouble.of(more * SECOND / nanos);
    }

    /** Returns the estimated seconds left, by bytes or by files, whichever takes longer; empty when unknown. */
    private OptionalDouble left() {
        if (!waiting.isEmpty() || tree.filter(all -> !all.isCounted()).isPresent()) {
            return OptionalDouble.empty();
        }
        Sample now = now(ticker.nanos());
        Sample first = samples.getFirst();
        long bytesLeft = tree.map(all -> all.totalBytes() - all.bytes()).orElseGet(() -> total - furthest());
        long filesLeft = counted.map(Tally::total)
                        .or(() -> tree.map(TreeProgress::totalFiles))
                        .orElse(0L)
                - now.files();
        OptionalDouble bytes = seconds(bytesLeft, rate(now.done() - first.done()));
        OptionalDouble files = seconds(filesLeft, rate(now.files() - first.files()));
        double longer = Math.max(bytes.orElse(0), files.orElse(0));
        return longer > 0 ? OptionalDouble.of(longer) : OptionalDouble.empty();
    }

    private static OptionalDouble seconds(long left, OptionalDouble rate) {
        return left <= 0 || rate.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(left / rate.getAsDouble());
    }

    private static String duration(double seconds) {
        long whole = Math.max(1, Math.round(seconds));
        if (whole < 120) {
            return whole + " s";
        }
        return whole < 7200 ? Math.round(whole / 60.0) + " min" : Math.round(whole / 3600.0) + " h";
    }
}
