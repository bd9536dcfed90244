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

    public boolean isLast() {
        return nextToken.isEmpty();
    }
}
