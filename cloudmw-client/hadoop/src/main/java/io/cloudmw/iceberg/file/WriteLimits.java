package io.cloudmw.iceberg.file;

/**
 * The limits of a stream that writes. Immutable.
 *
 * @param bufferBytes bytes that it collects before it passes them on; a file that is no longer is sent at its close
 * @param stagingBytes the largest number of bytes that it keeps on the local disk
 */
public record WriteLimits(int bufferBytes, long stagingBytes) {
    /** Checks the values. */
    public WriteLimits {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("bufferBytes: " + bufferBytes + " (expected: >= 1)");
        }
        if (stagingBytes < 0) {
            throw new IllegalArgumentException("stagingBytes: " + stagingBytes + " (expected: >= 0)");
        }
    }
}
