package io.cloudmw.client.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and times as people write them. */
final class Sizes {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,15}) ?(B|KiB|MiB|GiB|TiB|k|K|M|G|T)?");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s|m)?");

    private Sizes() {}

    /**
     * Reads {@code 64MiB}, {@code 64M} or bytes.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("size: \"" + text + "\" (expected: like 64MiB)");
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2);
        int shift = "BKMGT".indexOf(Character.toUpperCase(unit.charAt(0))) * 10;
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    }

    /** Reads {@code 30s}, {@code 500ms}, {@code 2m} or seconds. */
    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("time: \"" + text + "\" (expected: like 30s)");
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        return switch (unit) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofSeconds(number);
        };
    }

    /** Writes {@code 1.5 MiB}. */
    static String text(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int unit = Math.min(4, (63 - Long.numberOfLeadingZeros(bytes)) / 10);
        return String.format(Locale.ROOT, "%.1f %ciB", bytes / (double) (1L << (unit * 10)), " KMGT".charAt(unit));
    }
}
