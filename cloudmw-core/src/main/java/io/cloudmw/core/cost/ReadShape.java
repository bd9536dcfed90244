package io.cloudmw.core.cost;

import io.cloudmw.core.monitor.ExpectedSpeed;
import java.util.List;

/**
 * What is to be read, as far as its time depends on it. Immutable.
 *
 * @param bytes to be read
 * @param chunkBytes of one chunk; the last may be shorter
 * @param replicas what to expect of each replica's store; at least one
 * @param destinationBytesPerSecond what the destination can take; {@link Long#MAX_VALUE}: anything
 */
public record ReadShape(long bytes, long chunkBytes, List<ExpectedSpeed> replicas, long destinationBytesPerSecond) {
    public ReadShape {
        replicas = List.copyOf(replicas);
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        if (chunkBytes < 1) {
            throw new IllegalArgumentException("chunkBytes: " + chunkBytes + " (expected: >= 1)");
        }
        if (replicas.isEmpty()) {
            throw new IllegalArgumentException("replicas: none");
        }
        if (destinationBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "destinationBytesPerSecond: " + destinationBytesPerSecond + " (expected: >= 1)");
        }
    }
}
