package io.cloudmw.core.model;

import java.util.List;

/**
 * A page of a longer listing.
 *
 * @param nextToken the token for the next call; empty after the last page
 */
public record Page<T>(List<T> items, String nextToken) {
    public Page {
        items = List.copyOf(items);
    }

    /** Returns true when no page follows. */
    public boolean isLast() {
        return nextToken.isEmpty();
    }
}
