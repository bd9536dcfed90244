package io.cloudmw.core.config;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The translation of a check's message into the user's terms. A check says {@code helperTtl: PT1S (expected: > 2 x
 * 2s)} with the name it has in the code; the user typed {@code coordinator.helper-ttl} and {@code 1s}.
 */
public final class ErrorWording {
    private static final Pattern CHECK =
            Pattern.compile("(?<name>[A-Za-z][A-Za-z ]{0,40}): (?<value>.*?)(?<rule> \\(expected: .*)", Pattern.DOTALL);

    private ErrorWording() {}

    /**
     * A value as its user gave it.
     *
     * @param name the option or setting, as it is written
     * @param text its value, as it was written; empty: it has its default
     */
    public record GivenValue(String name, Optional<String> text) {}

    /**
     * Returns a check's message with the given name and value; a message of another form stays as it is.
     *
     * @param given finds the value of this name, in lower case with hyphens ({@code helper-ttl}); empty: there is none
     */
    public static String withGivenNames(Function<String, Optional<GivenValue>> given, String message) {
        Matcher check = CHECK.matcher(message);
        if (!check.matches()) {
            return message;
        }
        return given.apply(hyphenated(check.group("name")))
                .map(found -> found.name() + ": " + written(found, check.group("value")) + check.group("rule"))
                .orElse(message);
    }

    private static String written(GivenValue given, String checked) {
        String quote = checked.startsWith("\"") ? "\"" : "";
        return given.text().map(text -> quote + text + quote).orElse(checked);
    }

    private static String hyphenated(String name) {
        return name.replace(' ', '-').replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
