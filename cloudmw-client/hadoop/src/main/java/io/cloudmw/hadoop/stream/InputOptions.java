package io.cloudmw.hadoop.stream;

import io.cloudmw.connector.RangeLimits;

/**
 * The settings of a stream that reads. Immutable.
 *
 * @param policy the way in which it is going to be read
 * @param bufferBytes bytes kept for reads that are shorter, at least 1
 * @param ranges the limits of vectored reads
 */
public record InputOptions(ReadPolicy policy, int bufferBytes, RangeLimits ranges) {
    /** Checks the values. */
    public InputOptions {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("bufferBytes: " + bufferBytes + " (expected: >= 1)");
        }
    }

    /** Sets the policy. */
    public InputOptions withPolicy(ReadPolicy other) {
        return new InputOptions(other, bufferBytes, ranges);
    }

    /** Sets the bytes that are kept for short reads. */
    public InputOptions withBuffer(int bytes) {
        return new InputOptions(policy, bytes, ranges);
    }
}
