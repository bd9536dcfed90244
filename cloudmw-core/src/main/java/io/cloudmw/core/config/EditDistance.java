package io.cloudmw.core.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The edit distance of two words: characters to insert, delete, replace or swap with the next (optimal string
 * alignment).
 */
public final class EditDistance {
    private EditDistance() {}

    /** The candidate nearest to a word, for "did you mean"; the first of equally near ones. */
    public static String nearest(String word, Collection<String> candidates) {
        return candidates.stream()
                .min(Comparator.comparingInt((String candidate) -> between(word, candidate)))
                .orElse("");
    }

    /**
     * The nearest candidate that begins with the word; otherwise the nearest that the word may be a typo of: at most half
     * of its characters, rounded up, are wrong.
     */
    public static Optional<String> meant(String word, Collection<String> candidates) {
        List<String> longer = candidates.stream()
                .filter(candidate -> word.length() > 1 && candidate.startsWith(word))
                .toList();
        if (!longer.isEmpty()) {
            return Optional.of(nearest(word, longer));
        }
        return Optional.of(nearest(word, candidates))
                .filter(candidate -> !candidate.isEmpty() && between(word, candidate) <= (word.length() + 1) / 2);
    }

    static int between(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : between(a, b, i, j, distance);
            }
        }
        return distance[a.length()][b.length()];
    }

    /** The distance of the first {@code i} characters and the first {@code j}, from those of fewer. */
    private static int between(String a, String b, int i, int j, int[][] distance) {
        int replace = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replace, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
    }
}
