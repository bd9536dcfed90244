package io.cloudmw.cli.command;

import io.cloudmw.core.model.Mode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The modes of reads, as words of the command line. */
public final class Modes {
    /** The modes that users can choose. */
    static final List<Mode> CHOICE = List.of(Mode.values());

    private Modes() {}

    /** Returns a line about each mode. */
    public static String[] help() {
        List<String> lines = new ArrayList<>(List.of("", "Modes (docs/cli.md has their price):"));
        for (Mode mode : CHOICE) {
            lines.add(String.format(
                    Locale.ROOT, "  %-12s %s%s", mode.label(), does(mode), mode == Mode.DEFAULT ? " (default)" : ""));
        }
        return lines.toArray(String[]::new);
    }

    private static String does(Mode mode) {
        return switch (mode) {
            case SINGLE -> "one chunk after the other, each from one store: a plain download";
            case CHUNKED -> "chunks side by side, each from one store";
            case ROUNDS -> "k helpers race for each chunk, one chunk after the other";
            case KN -> "a race of all replicas for every chunk, all chunks at once";
            case HEDGED -> "one request, and a second at another store when the first is late";
            case COOPERATIVE -> "disjoint blocks from all replicas; another helper takes over what is late";
        };
    }

    /** The labels of all modes, for shell completion. */
    public static final class Labels implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return labels().iterator();
        }
    }

    /**
     * Parses a mode.
     *
     * @param option the option that the error message names
     */
    public static Mode parse(String option, String label) {
        return CHOICE.stream()
                .filter(mode -> mode.label().equals(label.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        option + ": \"" + label + "\" (expected: " + String.join(", ", labels()) + ")"));
    }

    public static List<String> labels() {
        return CHOICE.stream().map(Mode::label).collect(Collectors.toList());
    }
}
