package io.cloudmw.core.access;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The processes that can use a store.
 *
 * @param fault the fault for all processes; empty: some process can use it
 * @param shutOut processes that cannot use it, whether others can or not: {@code coordinator} or {@code helper ID}
 */
public record StoreReach(Optional<StoreFault> fault, SortedMap<String, StoreFault> shutOut) {
    /** Every process can use it, as far as is known. */
    public static final StoreReach FULL = new StoreReach(Optional.empty(), Map.of());

    public StoreReach {
        shutOut = Collections.unmodifiableSortedMap(new TreeMap<>(shutOut));
    }

    public StoreReach(Optional<StoreFault> fault, Map<String, StoreFault> shutOut) {
        this(fault, new TreeMap<>(shutOut));
    }
}
