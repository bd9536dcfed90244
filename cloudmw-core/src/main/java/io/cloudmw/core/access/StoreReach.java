package io.cloudmw.core.access;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The processes that can use a store.
 *
 * @param fault what keeps everybody out; empty: somebody can use it
 * @param shutOut processes that cannot use it, whether others can or not: {@code coordinator} or {@code helper ID}
 */
public record StoreReach(Optional<StoreFault> fault, SortedMap<String, StoreFault> shutOut) {
    /** Everybody can use it, or nobody knows better. */
    public static final StoreReach FULL = new StoreReach(Optional.empty(), Map.of());

    public StoreReach {
        shutOut = Collections.unmodifiableSortedMap(new TreeMap<>(shutOut));
    }

    public StoreReach(Optional<StoreFault> fault, Map<String, StoreFault> shutOut) {
        this(fault, new TreeMap<>(shutOut));
    }
}
