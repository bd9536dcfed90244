package io.cloudmw.core.emulation;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parser of a written law: its name or speed, then {@code ,option=value}s. Confined to the parsing of one text. */
final class LawParser {
    private final String text;
    private final String name;
    private final Map<String, String> options;

    private LawParser(String text, String name, Map<String, String> options) {
        this.text = text;
        this.name = name;
        this.options = options;
    }

    static LawParser of(String text) {
        String[] parts = text.strip().split(",", -1);
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] option = parts[i].split("=", 2);
            String key = option[0].strip().toLowerCase(Locale.ROOT);
            if (key.isEmpty() || option.length < 2 || options.put(key, option[1].strip()) != null) {
                throw unreadable(text, null);
            }
        }
        return new LawParser(text, parts[0].strip(), options);
    }

    String text() {
        return text;
    }

    /** The text before the first comma. */
    String name() {
        return name;
    }

    /** An option's value, once; null when it is missing. */
    @Nullable
    String take(String option) {
        return options.remove(option);
    }

    /** Parses the rest as a law, after every known option was taken. */
    StoreLaw law() {
        StoreLaw law = switch (name) {
            case PaperTable2.NAME -> new PaperTable2(0);
            case S3Tail.NAME -> new S3Tail(0);
            default -> ReadSpeed.of(this);
        };
        requireEnd();
        return law;
    }

    void requireEnd() {
        if (!options.isEmpty()) {
            throw unreadable(text, null);
        }
    }

    static <T> T number(String text, String value, Function<String, T> parser) {
        try {
            return parser.apply(value);
        } catch (NumberFormatException e) {
            throw unreadable(text, e);
        }
    }

    static IllegalArgumentException unreadable(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException("law: \"" + text + "\" (expected: like " + StoreLaw.FORMS + ")", cause);
    }
}
