package io.cloudmw.core.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text form of sizes. A bare number is bytes. {@code 64M}, {@code 64Mi} and {@code 64MiB} are powers of 1024, as
 * in rclone; {@code 64MB} is a power of 1000, as in SI (rclone refuses that form).
 */
public final class Sizes {
    private static final Pattern FORM =
            Pattern.compile("(\\d{1,18})\\s*([KMGTPE]?)(I|B|IB)?", Pattern.CASE_INSENSITIVE);
    private static final String LETTERS = "KMGTPE";
    private static final String[] NAMES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    /**
     * The bytes of a written size; the unit's case does not matter.
     *
     * @throws IllegalArgumentException when it is not of that form or too large
     */
    public static long parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw unreadable(text);
        }
        String letter = matcher.group(2).toUpperCase(Locale.ROOT);
        String ending = matcher.group(3) == null ? "" : matcher.group(3).toUpperCase(Locale.ROOT);
        if (letter.isEmpty() && ending.startsWith("I")) {
            throw unreadable(text);
        }
        long base = ending.equals("B") ? 1000 : 1024;
        try {
            long bytes = Long.parseLong(matcher.group(1));
            for (int power = letter.isEmpty() ? 0 : LETTERS.indexOf(letter) + 1; power > 0; power--) {
                bytes = Math.multiplyExact(bytes, base);
            }
            return bytes;
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("size: \"" + text + "\" (expected: < 8388608TiB)", e);
        }
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException("size: \"" + text + "\" (expected: like 64MiB)");
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

    /** A size for people, rounded to one decimal: {@code 1.5 GiB}. */
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
