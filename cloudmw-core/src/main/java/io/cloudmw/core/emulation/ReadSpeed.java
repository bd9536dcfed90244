package io.cloudmw.core.emulation;

import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.Sizes;
import java.time.Duration;

/**
 * A read speed that varies over time and is shared by all readers of a store. It is drawn anew at every interval,
 * evenly between two bounds, from a seed. Equal values give equal speeds at equal times.
 *
 * <p>Its text is {@code 20MiB/s} for a constant speed, or {@code 10..40MiB/s,redraw=2s,seed=7}; {@code redraw} and
 * {@code seed} are optional (2s, 0).
 *
 * @param minBytesPerSecond at least 1 KiB
 * @param redraw the time for which one drawn speed lasts
 */
public record ReadSpeed(long minBytesPerSecond, long maxBytesPerSecond, Duration redraw, long seed)
        implements StoreLaw {
    private static final Duration DEFAULT_REDRAW = Duration.ofSeconds(2);

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

    /** A constant speed. */
    public static ReadSpeed constant(long bytesPerSecond) {
        return new ReadSpeed(bytesPerSecond, bytesPerSecond, DEFAULT_REDRAW, 0);
    }

    /**
     * Reads the text of a speed.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static ReadSpeed parse(String text) {
        LawParser written = LawParser.of(text);
        String seed = written.take("seed");
        ReadSpeed speed = of(written);
        written.requireEnd();
        return seed == null ? speed : speed.withSeed(LawParser.number(text, seed, Long::valueOf));
    }

    static ReadSpeed of(LawParser written) {
        String redraw = written.take("redraw");
        if (!written.name().endsWith("/s")) {
            throw LawParser.unreadable(written.text(), null);
        }
        String speed = written.name().substring(0, written.name().length() - 2);
        int dots = speed.indexOf("..");
        String max = dots < 0 ? speed : speed.substring(dots + 2);
        String min = dots < 0 ? speed : withUnit(speed.substring(0, dots), max);
        Duration interval = redraw == null ? DEFAULT_REDRAW : Durations.parse(redraw);
        return new ReadSpeed(Sizes.parse(min), Sizes.parse(max), interval, 0);
    }

    @Override
    public long bytesPerSecondAt(long sinceStartNanos) {
        if (minBytesPerSecond == maxBytesPerSecond) {
            return minBytesPerSecond;
        }
        long interval = sinceStartNanos / redraw.toNanos();
        return IndexedRandom.at(seed, interval).nextLong(minBytesPerSecond, maxBytesPerSecond + 1);
    }

    @Override
    public boolean shared() {
        return true;
    }

    @Override
    public ReadSpeed withSeed(long newSeed) {
        return new ReadSpeed(minBytesPerSecond, maxBytesPerSecond, redraw, newSeed);
    }

    @Override
    public String toString() {
        if (minBytesPerSecond == maxBytesPerSecond) {
            return Sizes.format(minBytesPerSecond) + "/s";
        }
        return Sizes.format(minBytesPerSecond) + ".." + Sizes.format(maxBytesPerSecond) + "/s,redraw="
                + Durations.format(redraw) + ",seed=" + seed;
    }

    /** The lower bound with the upper one's unit: {@code 10} of {@code 10..40MiB} means MiB, too. */
    private static String withUnit(String min, String max) {
        boolean bare = !min.isEmpty() && min.chars().allMatch(Character::isDigit);
        return bare ? min + max.replaceFirst("^[0-9]+\\s*", "") : min;
    }
}
