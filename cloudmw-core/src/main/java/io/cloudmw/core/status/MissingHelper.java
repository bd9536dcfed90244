package io.cloudmw.core.status;

import io.cloudmw.core.model.StoreId;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A helper that a copy waits for: one that could use a source and a target together. Ordered by those stores.
 *
 * @param sources stores with good copies, by id; one of them is enough
 * @param targets stores that could take a copy, by id; one of them is enough
 */
public record MissingHelper(List<StoreId> sources, List<StoreId> targets) implements Comparable<MissingHelper> {
    private static final int MOST_NAMED = 8;

    public MissingHelper {
        sources = List.copyOf(sources);
        targets = List.copyOf(targets);
    }

    /** The missing helper for these stores, sorted by id. */
    public static MissingHelper of(Collection<StoreId> sources, Collection<StoreId> targets) {
        return new MissingHelper(sorted(sources), sorted(targets));
    }

    private static List<StoreId> sorted(Collection<StoreId> stores) {
        return stores.stream().distinct().sorted().limit(MOST_NAMED).toList();
    }

    /** Returns a description such as {@code a helper that can use S1 and S2}. */
    public String describe() {
        return "a helper that can use " + oneOf(sources) + " and " + oneOf(targets);
    }

    private static String oneOf(List<StoreId> stores) {
        return stores.size() == 1
                ? stores.get(0).value()
                : stores.stream().map(StoreId::value).collect(Collectors.joining(", ", "one of ", ""));
    }

    @Override
    public int compareTo(MissingHelper other) {
        int bySources = sources.toString().compareTo(other.sources.toString());
        return bySources == 0 ? targets.toString().compareTo(other.targets.toString()) : bySources;
    }
}
