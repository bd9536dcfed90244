package io.cloudmw.core.recording;

import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.StoreId;

/**
 * An attempt of one racer at one block of a recorded read. Times are nanoseconds since the read began.
 *
 * @param chunk position of the chunk in the file
 * @param block number of the block, unique within the read
 * @param offset of the block's first byte within the chunk
 * @param length of the block in bytes
 * @param racer id of the helper, or {@code local} for the client itself
 * @param store the store of the replica that is read
 * @param number counts the racer's attempts at the block from 0
 * @param reason the reason for issuing the block
 * @param issuedNanos when the block was issued to the racer, or when the racer's earlier attempt had failed
 * @param beganNanos when the racer reported that it reads the replica; {@value #NEVER}: it has not
 * @param endedNanos when the attempt ended; {@value #NEVER}: it has not
 * @param fetchedBytes bytes that the racer has read
 * @param wonBytes bytes of this attempt that the reader took; the others were wasted
 * @param error the error code of a failed attempt; otherwise empty. A reader of another release may know more codes
 */
public record RecordedAttempt(
        long chunk,
        int block,
        long offset,
        long length,
        String racer,
        StoreId store,
        int number,
        IssueReason reason,
        long issuedNanos,
        long beganNanos,
        long endedNanos,
        State state,
        long fetchedBytes,
        long wonBytes,
        String error) {
    /** The time of an event that has not happened. */
    public static final long NEVER = -1;

    /** The longest name of a racer, and the longest error code. */
    public static final int MAX_NAME = 256;

    /** The state of an attempt. */
    public enum State {
        /** The block waits at the racer. */
        QUEUED,
        /** The racer reads the replica. */
        RUNNING,
        /** The racer has the whole block. */
        FINISHED,
        /** The reader wanted no more of it. */
        CANCELLED,
        FAILED
    }

    public RecordedAttempt {
        if (chunk < 0 || block < 0 || offset < 0 || length < 0 || number < 0) {
            throw new IllegalArgumentException("attempt: chunk=" + chunk + " block=" + block + " offset=" + offset
                    + " length=" + length + " number=" + number + " (expected: >= 0)");
        }
        if (issuedNanos < 0 || beganNanos < NEVER || endedNanos < NEVER) {
            throw new IllegalArgumentException("attempt: issued=" + issuedNanos + " began=" + beganNanos + " ended="
                    + endedNanos + " (expected: >= 0, or -1 for an event that has not happened)");
        }
        if (fetchedBytes < 0 || wonBytes < 0) {
            throw new IllegalArgumentException(
                    "attempt: fetched=" + fetchedBytes + " won=" + wonBytes + " (expected: >= 0)");
        }
        if (racer.isEmpty() || racer.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "racer: " + racer.length() + " characters (expected: 1.." + MAX_NAME + ")");
        }
        if (error.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "error: " + error.length() + " characters (expected: <= " + MAX_NAME + ")");
        }
    }
}
