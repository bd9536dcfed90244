package io.cloudmw.core.model.lock;

import java.util.Optional;

/**
 * The answer to a request for a lock.
 *
 * @param claim the granted lock; empty: refused
 * @param blocker the lock in the way, for messages; empty: granted
 */
public record LockAnswer(Optional<LockClaim> claim, String blocker) {
    /** The answer that grants a lock. */
    public static LockAnswer granted(LockClaim claim) {
        return new LockAnswer(Optional.of(claim), "");
    }

    /** The answer that refuses a lock. */
    public static LockAnswer refused(String blocker) {
        return new LockAnswer(Optional.empty(), blocker);
    }
}
