package io.cloudmw.client.cli;

import io.cloudmw.core.model.Mode;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Modes on the command line. */
final class Modes {
    /** Those that can be chosen. */
    static final List<Mode> CHOICE = List.of(Mode.values());

    private Modes() {}

    /** @param option its name, for the message */
    static Mode parse(String option, String label) {
        return CHOICE.stream()
                .filter(mode -> mode.label().equals(label.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        option + ": \"" + label + "\" (expected: " + String.join(", ", labels()) + ")"));
    }

    static List<String> labels() {
        return CHOICE.stream().map(Mode::label).collect(Collectors.toList());
    }
}
