package io.cloudmw.core.model.volume;

import io.cloudmw.core.model.VolumeName;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A set of volumes, or all present and future ones. Its text is names with commas between, or {@code *}.
 *
 * @param all whether it has every volume
 * @param names the names; empty when it has all
 */
public record VolumeSet(boolean all, Set<VolumeName> names) {
    /** No volume. */
    public static final VolumeSet NONE = new VolumeSet(false, Set.of());
    /** Every volume. */
    public static final VolumeSet ALL = new VolumeSet(true, Set.of());

    private static final String EVERY = "*";

    public VolumeSet {
        names = Set.copyOf(names);
        if (all && !names.isEmpty()) {
            throw new IllegalArgumentException("volumes: " + EVERY + " and " + names + " (expected: either)");
        }
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static VolumeSet parse(String text) {
        return text.isBlank() ? NONE : of(Arrays.asList(text.split(",", -1)));
    }

    /**
     * Reads what {@link #words} gave.
     *
     * @throws IllegalArgumentException when one of them is neither a name nor {@code *}
     */
    public static VolumeSet of(Collection<String> words) {
        Set<VolumeName> names = words.stream()
                .map(String::strip)
                .filter(word -> !word.equals(EVERY))
                .map(VolumeName::new)
                .collect(Collectors.toSet());
        return new VolumeSet(words.stream().anyMatch(word -> word.strip().equals(EVERY)), names);
    }

    /** Returns true when the volume belongs to the set. */
    public boolean contains(VolumeName volume) {
        return all || names.contains(volume);
    }

    /** The names in order, or {@code *} alone. */
    public Set<String> words() {
        Set<String> words = new TreeSet<>();
        if (all) {
            words.add(EVERY);
        }
        names.forEach(name -> words.add(name.value()));
        return words;
    }

    @Override
    public String toString() {
        return String.join(",", words());
    }
}
