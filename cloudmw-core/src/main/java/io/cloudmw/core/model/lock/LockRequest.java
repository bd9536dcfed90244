package io.cloudmw.core.model.lock;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import java.time.Duration;
import java.util.UUID;

/**
 * A request for a lock on a range of a file.
 *
 * @param lockId chosen by the client, and never used for another lock: a repeated request gets the same lock
 * @param holder the client, for messages: 1 to {@value #MAX_HOLDER} characters
 * @param file its path; there need not be a file
 * @param range at least one byte; may reach beyond the end of the file
 * @param shared whether other shared locks may overlap it
 * @param term how long the lock is held without renewal: {@link #MIN_TERM} to {@link #MAX_TERM}
 */
public record LockRequest(UUID lockId, String holder, FilePath file, ByteRange range, boolean shared, Duration term) {
    /** The largest length of a holder's name, in characters. */
    public static final int MAX_HOLDER = 256;

    /** The shortest term; a shorter one would end before a slow call is answered. */
    public static final Duration MIN_TERM = Duration.ofSeconds(1);

    /** The longest term, for which a crashed client excludes the others. */
    public static final Duration MAX_TERM = Duration.ofMinutes(5);

    public LockRequest {
        if (holder.isEmpty() || holder.length() > MAX_HOLDER) {
            throw new IllegalArgumentException(
                    "holder: " + holder.length() + " characters (expected: 1.." + MAX_HOLDER + ")");
        }
        if (range.isEmpty()) {
            throw new IllegalArgumentException("range: " + range + " (expected: at least one byte)");
        }
        requireTerm(term);
    }

    /**
     * Checks the term of a lock.
     *
     * @throws IllegalArgumentException when it is too short or too long
     */
    public static void requireTerm(Duration term) {
        if (term.compareTo(MIN_TERM) < 0 || term.compareTo(MAX_TERM) > 0) {
            throw new IllegalArgumentException("term: " + term + " (expected: " + MIN_TERM + ".." + MAX_TERM + ")");
        }
    }
}
