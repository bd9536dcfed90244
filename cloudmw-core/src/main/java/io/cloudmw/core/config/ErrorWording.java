package io.cloudmw.core.config;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says mistakes in the words of whoever made them. A check says {@code helperTtl: PT1S (expected: > 2 x 2s)}, by the name the
 * value has where it is checked; whoever converted what was typed knows that it was {@code coordinator.helper-ttl} and {@code 1s}.
 */
public final class ErrorWording {
    private static final Pattern CHECK =
            Pattern.compile("(?<name>[A-Za-z][A-Za-z ]{0,40}): (?<value>.*?)(?<rule> \\(expected: .*)", Pattern.DOTALL);

    private ErrorWording() {}

    /**
     * What was given.
     *
     * @param name an option or a setting, as it is written
     * @param text its value, as it was written; empty: it has its default
     */
    public record Given(String name, Optional<String> text) {}

    /**
     * Returns a check's message with the name and value that were given, or as it is where it is about none.
     *
     * @param given finds what has this name, in lower case with hyphens ({@code helper-ttl}); empty: nothing has
     */
    public static String inWordsOf(Function<String, Optional<Given>> given, String message) {
        Matcher check = CHECK.matcher(message);
        if (!check.matches()) {
            return message;
        }
        return given.apply(hyphenated(check.group("name")))
                .map(found -> found.name() + ": " + written(found, check.group("value")) + check.group("rule"))
                .orElse(message);
    }

    private static String written(Given given, String checked) {
        String quote = checked.startsWith("\"") ? "\"" : "";
        return given.text().map(text -> quote + text + quote).orElse(checked);
    }

    private static String hyphenated(String name) {
        return name.replace(' ', '-').replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
