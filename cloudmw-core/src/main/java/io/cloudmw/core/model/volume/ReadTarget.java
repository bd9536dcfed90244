package io.cloudmw.core.model.volume;

import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.Sizes;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A volume's target for the time of reads, such as {@code p99 of 64MiB under 900ms}. A longer read has proportionally
 * more time; a shorter read has the same time.
 *
 * @param percentile of the reads: one of 50, 90, 95, 99 and 99.9
 * @param bytes the size of a read
 * @param limit the time for that percentile of the reads; whole microseconds
 */
public record ReadTarget(double percentile, long bytes, Duration limit) {
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 95.0, 99.0, 99.9);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Pattern FORM = Pattern.compile("p([0-9]{2}(?:\\.9)?) of ([0-9A-Za-z]+) under ([0-9a-z]+)");

    public ReadTarget {
        if (!PERCENTILES.contains(percentile)) {
            throw new IllegalArgumentException("percentile: " + percentile + " (expected: one of " + PERCENTILES + ")");
        }
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 1)");
        }
        if (limit.compareTo(Duration.ofMillis(1)) < 0 || limit.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1ms..1d)");
        }
        if (limit.toNanos() % 1000 != 0) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: whole microseconds)");
        }
    }

    /**
     * Reads the written form.
     *
     * @throws IllegalArgumentException when it is not {@code pN of SIZE under TIME}
     */
    public static ReadTarget parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "target: \"" + text + "\" (expected: like \"p99 of 64MiB under 900ms\")");
        }
        return new ReadTarget(
                Double.parseDouble(matcher.group(1)), Sizes.parse(matcher.group(2)), Durations.parse(matcher.group(3)));
    }

    /** The percentile as a share: 0.99 for p99. */
    public double quantile() {
        return percentile / 100;
    }

    /** The time that a read of so many bytes may take. */
    public Duration deadline(long readBytes) {
        if (readBytes <= bytes) {
            return limit;
        }
        return Duration.ofNanos(Math.round(limit.toNanos() * ((double) readBytes / bytes)));
    }

    /** The form {@link #parse} reads. */
    @Override
    public String toString() {
        String number = percentile == Math.rint(percentile)
                ? Long.toString(Math.round(percentile))
                : Double.toString(percentile);
        return "p" + number + " of " + Sizes.format(bytes) + " under " + Durations.format(limit);
    }
}
