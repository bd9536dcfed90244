package io.cloudmw.connector;

import io.cloudmw.core.model.ByteRange;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A range of a file that is to be read.
 *
 * @param range at most {@link Integer#MAX_VALUE} bytes
 * @param bytes completed with a buffer of its own, ready to be read from; its callbacks run on the client's threads and
 *     must not block them
 */
public record RequestedRange(ByteRange range, CompletableFuture<ByteBuffer> bytes) {
    /** Checks the length. */
    public RequestedRange {
        if (range.length() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "range: " + range + " (expected: at most " + Integer.MAX_VALUE + " bytes)");
        }
    }

    int length() {
        return (int) range.length();
    }
}
