package io.cloudmw.client.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as people write them. */
final class Durations {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s|m)?");

    private Durations() {}

    /** Reads {@code 30s}, {@code 500ms}, {@code 2m} or seconds. */
    static Duration parse(String text) {
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
}
