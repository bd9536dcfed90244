package io.cloudmw.core.store;

import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.Sizes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A read speed that varies over time: drawn anew at every interval, evenly between two bounds, from a seed. Equal
 * values give equal speeds at equal times.
 *
 * <p>Written {@code 20MiB/s} for a constant speed, or {@code 10..40MiB/s,redraw=2s,seed=7}; {@code redraw} and
 * {@code seed} may be left out (2s, 0).
 *
 * @param minBytesPerSecond at least 1 KiB
 * @param redraw how long one drawn speed lasts
 */
public record ReadSpeed(long minBytesPerSecond, long maxBytesPerSecond, Duration redraw, long seed) {
    private static final Duration DEFAULT_REDRAW = Duration.ofSeconds(2);
    private static final String FORM = "(expected: like 20MiB/s or 10..40MiB/s,redraw=2s,seed=7)";

    public ReadSpeed {
        if (minBytesPerSecond < 1024) {
            throw new IllegalArgumentException("minBytesPerSecond: " + minBytesPerSecond + " (expected: >= 1024)");
        }
        if (maxBytesPerSecond < minBytesPerSecond) {
            throw new IllegalArgumentException(
                    "maxBytesPerSecond: " + maxBytesPerSecond + " (expected: >= " + minBytesPerSecond + ")");
        }
        if (redraw.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("redraw: " + redraw + " (expected: >= 1ms)");
        }
    }

    /** Always the same speed. */
    public static ReadSpeed constant(long bytesPerSecond) {
        return new ReadSpeed(bytesPerSecond, bytesPerSecond, DEFAULT_REDRAW, 0);
    }

    /**
     * Reads what {@link #toString()} wrote, or a person.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static ReadSpeed parse(String text) {
        String[] parts = text.strip().split(",", -1);
        Map<String, String> options = options(text, parts);
        String redraw = options.remove("redraw");
        String seed = options.remove("seed");
        if (!options.isEmpty() || !parts[0].endsWith("/s")) {
            throw new IllegalArgumentException("speed: \"" + text + "\" " + FORM);
        }
        String speed = parts[0].substring(0, parts[0].length() - 2);
        int dots = speed.indexOf("..");
        try {
            String max = dots < 0 ? speed : speed.substring(dots + 2);
            String min = dots < 0 ? speed : withUnit(speed.substring(0, dots), max);
            return new ReadSpeed(
                    Sizes.parse(min),
                    Sizes.parse(max),
                    redraw == null ? DEFAULT_REDRAW : Durations.parse(redraw),
                    seed == null ? 0 : Long.parseLong(seed));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("speed: \"" + text + "\" " + FORM, e);
        }
    }

    /** The speed in force {@code sinceStartNanos} after the first read; at least 1. */
    public long bytesPerSecondAt(long sinceStartNanos) {
        if (minBytesPerSecond == maxBytesPerSecond) {
            return minBytesPerSecond;
        }
        long interval = sinceStartNanos / redraw.toNanos();
        SplittableRandom draw = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + interval);
        return draw.nextLong(minBytesPerSecond, maxBytesPerSecond + 1);
    }

    @Override
    public String toString() {
        if (minBytesPerSecond == maxBytesPerSecond) {
            return Sizes.format(minBytesPerSecond) + "/s";
        }
        return Sizes.format(minBytesPerSecond) + ".." + Sizes.format(maxBytesPerSecond) + "/s,redraw="
                + Durations.format(redraw) + ",seed=" + seed;
    }

    /** {@code 10} of {@code 10..40MiB} means MiB, too. */
    private static String withUnit(String min, String max) {
        boolean bare = !min.isEmpty() && min.chars().allMatch(Character::isDigit);
        return bare ? min + max.replaceFirst("^[0-9]+\\s*", "") : min;
    }

    private static Map<String, String> options(String text, String[] parts) {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name =
                    equals < 0 ? "" : parts[i].substring(0, equals).strip().toLowerCase(Locale.ROOT);
            if (name.isEmpty()
                    || options.put(name, parts[i].substring(equals + 1).strip()) != null) {
                throw new IllegalArgumentException("speed: \"" + text + "\" " + FORM);
            }
        }
        return options;
    }
}
