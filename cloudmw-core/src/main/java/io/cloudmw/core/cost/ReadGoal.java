package io.cloudmw.core.cost;

import java.time.Duration;

/**
 * A goal for the time of reads: a share of them ends within the deadline.
 *
 * @param quantile share of the reads, above 0 and below 1
 * @param deadline for each of them
 */
public record ReadGoal(double quantile, Duration deadline) {
    /** Checks both values. */
    public ReadGoal {
        if (!(quantile > 0 && quantile < 1)) {
            throw new IllegalArgumentException("quantile: " + quantile + " (expected: above 0, below 1)");
        }
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: > 0)");
        }
    }
}
