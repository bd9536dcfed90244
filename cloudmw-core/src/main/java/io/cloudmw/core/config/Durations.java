package io.cloudmw.core.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text form of durations: {@code 200ms}, {@code 2s}, {@code 5m}, {@code 1h}, {@code 7d}; also {@code us}. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15})\\s*(us|ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException when it is not of that form, or longer than 36500 days
     */
    public static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        ChronoUnit unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("duration: \"" + text + "\" (expected: like 200ms, 2s, 5m, 1h)");
        }
        Duration longest = Duration.ofDays(36_500);
        long amount = Long.parseLong(matcher.group(1));
        if (amount > longest.dividedBy(unit.getDuration())) {
            throw new IllegalArgumentException("duration: \"" + text + "\" (expected: <= 36500d)");
        }
        return Duration.of(amount, unit);
    }

    /** The shortest form that {@link #parse} reads back; parts below a microsecond are dropped. */
    public static String format(Duration duration) {
        long micros = duration.toNanos() / 1000;
        if (micros % 1000 != 0) {
            return micros + "us";
        }
        long millis = micros / 1000;
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds / 3600 + "h";
    }
}
