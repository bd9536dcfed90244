package io.cloudmw.core.model.fleet;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The location of a process: labels from the outside in, such as {@code zone-a/rack-1/host-3}. HDFS calls it a network
 * location. Processes that share more of the first labels are nearer.
 *
 * @param labels 0 to {@value #MAX_LABELS}; empty: unknown
 */
public record Location(List<String> labels) {
    /** No location. */
    public static final Location NONE = new Location(List.of());

    /** The largest number of labels. */
    public static final int MAX_LABELS = 8;

    /** The rule for its text, for error messages. */
    public static final String FORM = "1 to 8 labels with / between, each 1 to 63 of A-Z, a-z, 0-9, '.', '_', '-'";

    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9._-]{1,63}");

    public Location {
        labels = List.copyOf(labels);
        if (labels.size() > MAX_LABELS
                || !labels.stream().allMatch(label -> LABEL.matcher(label).matches())) {
            throw new IllegalArgumentException(
                    "location: \"" + String.join("/", labels) + "\" (expected: " + FORM + ")");
        }
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static Location parse(String text) {
        return text.isEmpty() ? NONE : new Location(List.of(text.split("/", -1)));
    }

    /** The number of leading labels that both have. */
    public int shared(Location other) {
        int most = Math.min(labels.size(), other.labels.size());
        int shared = 0;
        while (shared < most && labels.get(shared).equals(other.labels.get(shared))) {
            shared++;
        }
        return shared;
    }

    /** Returns whether this is {@code outer}, or inside of it. */
    public boolean isIn(Location outer) {
        return shared(outer) == outer.labels.size();
    }

    /** The surrounding location: the same without the last label. */
    public Location outer() {
        return labels.isEmpty() ? NONE : new Location(labels.subList(0, labels.size() - 1));
    }

    /** The labels with {@code /} between. */
    @Override
    public String toString() {
        return String.join("/", labels);
    }
}
