package io.cloudmw.connector;

/**
 * The limits of a read of several ranges. Immutable.
 *
 * @param mergeBytes ranges that are no farther from each other are read together, at least 0
 * @param largestBytes the largest number of bytes that ranges are combined to, at least 1; a longer range is read alone
 * @param parallel the reads that are under way at once, at least 1
 */
public record RangeLimits(int mergeBytes, int largestBytes, int parallel) {
    /** Checks the values. */
    public RangeLimits {
        require("mergeBytes", mergeBytes, 0);
        require("largestBytes", largestBytes, 1);
        require("parallel", parallel, 1);
    }

    private static void require(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= " + least + ")");
        }
    }
}
