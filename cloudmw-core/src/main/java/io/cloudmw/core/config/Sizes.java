package io.cloudmw.core.config;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes as people write them: {@code 512}, {@code 64KiB}, {@code 64MiB}, {@code 2GiB}, {@code 1TiB}; and decimal ones,
 * {@code 1GB} being 1,000,000,000 bytes.
 */
public final class Sizes {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})\\s*([A-Za-z]*)");
    private static final Map<String, Long> UNITS = Map.of(
            "",
            1L,
            "B",
            1L,
            "KIB",
            1L << 10,
            "MIB",
            1L << 20,
            "GIB",
            1L << 30,
            "TIB",
            1L << 40,
            "KB",
            1_000L,
            "MB",
            1_000_000L,
            "GB",
            1_000_000_000L,
            "TB",
            1_000_000_000_000L);
    private static final String[] NAMES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    /**
     * Bytes of a written size; the unit's case does not matter.
     *
     * @throws IllegalArgumentException when it is not of that form or too large
     */
    public static long parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        Long unit = matcher.matches() ? UNITS.get(matcher.group(2).toUpperCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("size: \"" + text + "\" (expected: like 64MiB)");
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("size: \"" + text + "\" (expected: < 8388608TiB)", e);
        }
    }

    /** The shortest form that {@link #parse} reads back as exactly {@code bytes}. */
    public static String format(long bytes) {
        int unit = 0;
        long value = bytes;
        while (value != 0 && value % 1024 == 0 && unit < NAMES.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? Long.toString(value) : value + NAMES[unit];
    }

    /** A size for people's eyes, rounded to one decimal: {@code 1.5 GiB}. */
    public static String approximate(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < NAMES.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, NAMES[unit]);
    }
}
