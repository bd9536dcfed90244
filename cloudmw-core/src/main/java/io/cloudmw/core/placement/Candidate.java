package io.cloudmw.core.placement;

import io.cloudmw.core.model.Store;

/**
 * A store that could take a replica.
 *
 * @param usable whether it is available and has room now
 * @param weight how large a share of the chunks it should get, relative to the others; > 0
 */
public record Candidate(Store store, boolean usable, double weight) {
    public Candidate {
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: > 0)");
        }
    }
}
