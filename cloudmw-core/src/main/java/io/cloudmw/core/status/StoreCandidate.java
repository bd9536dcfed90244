package io.cloudmw.core.status;

import io.cloudmw.core.model.fleet.Store;

/**
 * A store that could take a replica.
 *
 * @param obstacle why it cannot take one now; empty when it can
 * @param weight its share of the chunks, relative to the others; > 0
 */
public record StoreCandidate(Store store, String obstacle, double weight) {
    public StoreCandidate {
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: > 0)");
        }
    }

    /** Returns whether it is available and has room now. */
    public boolean usable() {
        return obstacle.isEmpty();
    }
}
