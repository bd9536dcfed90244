package io.cloudmw.client.lock;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.lock.LockRequest;
import java.time.Duration;

/**
 * The options of a lock. Immutable.
 *
 * @param range the bytes that are locked, at least one; may reach beyond the end of the file
 * @param shared whether other shared locks may overlap it
 * @param term how long the lock outlives its last renewal, 1 s to 5 min. A client renews after a third of it. So this is
 *     how long others wait after a crash, and how long the coordinators may be away before the lock is lost
 */
public record LockOptions(ByteRange range, boolean shared, Duration term) {
    /** The default term: 15 s. */
    public static final Duration DEFAULT_TERM = Duration.ofSeconds(15);

    private static final LockOptions EXCLUSIVE = new LockOptions(new ByteRange(0, Long.MAX_VALUE), false, DEFAULT_TERM);

    /** Checks the values. */
    public LockOptions {
        if (range.isEmpty()) {
            throw new IllegalArgumentException("range: " + range + " (expected: at least one byte)");
        }
        LockRequest.requireTerm(term);
    }

    /** An exclusive lock on the whole file, whatever its length becomes. */
    public static LockOptions exclusive() {
        return EXCLUSIVE;
    }

    /** Sets whether other shared locks may overlap it. */
    public LockOptions withShared(boolean isShared) {
        return new LockOptions(range, isShared, term);
    }

    /** Locks these bytes only. */
    public LockOptions withRange(ByteRange bytes) {
        return new LockOptions(bytes, shared, term);
    }

    /** Sets how long the lock outlives its last renewal. */
    public LockOptions withTerm(Duration duration) {
        return new LockOptions(range, shared, duration);
    }
}
