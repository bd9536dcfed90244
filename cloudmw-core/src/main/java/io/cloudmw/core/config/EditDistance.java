package io.cloudmw.core.config;

import java.util.Collection;
import java.util.Comparator;

/** How far apart two words are: characters to insert, delete or replace (Levenshtein). */
public final class EditDistance {
    private EditDistance() {}

    /** The candidate nearest to a word, for "did you mean"; of equally near ones the first. */
    public static String nearest(String word, Collection<String> candidates) {
        return candidates.stream()
                .min(Comparator.comparingInt((String candidate) -> between(word, candidate)))
                .orElse("");
    }

    static int between(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replace, 1 + Math.min(previous[j], row[j - 1]));
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
