package io.cloudmw.hadoop.stream;

/**
 * The settings of a stream that reads. Immutable.
 *
 * @param policy the way in which it is going to be read
 * @param bufferBytes bytes kept for reads that are shorter, at least 1
 * @param mergeBytes ranges of a vectored read that are no farther from each other are read together
 * @param largestBytes the largest number of bytes that ranges are combined to
 * @param parallel reads of a vectored read that are under way at once, at least 1
 */
public record InputOptions(ReadPolicy policy, int bufferBytes, int mergeBytes, int largestBytes, int parallel) {
    /** Checks the values. */
    public InputOptions {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("bufferBytes: " + bufferBytes + " (expected: >= 1)");
        }
        if (parallel < 1) {
            throw new IllegalArgumentException("parallel: " + parallel + " (expected: >= 1)");
        }
    }

    /** Sets the policy. */
    public InputOptions withPolicy(ReadPolicy other) {
        return new InputOptions(other, bufferBytes, mergeBytes, largestBytes, parallel);
    }

    /** Sets the bytes that are kept for short reads. */
    public InputOptions withBuffer(int bytes) {
        return new InputOptions(policy, bytes, mergeBytes, largestBytes, parallel);
    }
}
