package io.cloudmw.client.channel.lock;

import io.cloudmw.core.model.ByteRange;

/**
 * The range of a channel's lock, as the JDK counts it.
 *
 * @param length 0: all bytes from there on
 */
public record LockedRange(long from, long length, boolean shared) {
    /** Checks the values. */
    public LockedRange {
        if (from < 0 || length < 0 || from + length < 0) {
            throw new IllegalArgumentException(
                    "lock: " + length + " bytes at " + from + " (expected: both >= 0, and no overflow)");
        }
    }

    ByteRange bytes() {
        return new ByteRange(from, length == 0 ? Long.MAX_VALUE - from : length);
    }

    boolean overlaps(LockedRange other) {
        return bytes().offset() < other.bytes().end() && other.bytes().offset() < bytes().end();
    }
}
