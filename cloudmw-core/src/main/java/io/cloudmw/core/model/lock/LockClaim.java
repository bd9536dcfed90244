package io.cloudmw.core.model.lock;

import java.util.UUID;

/**
 * The claim to hold a lock. A commit that carries it takes effect only while the lock is held.
 *
 * @param lockId chosen by the client, and never used for another lock
 * @param fence from 1; greater than that of every earlier lock in the volume, so that other systems can refuse the
 *     requests of a holder whose lock was lost
 */
public record LockClaim(UUID lockId, long fence) {
    public LockClaim {
        if (fence < 1) {
            throw new IllegalArgumentException("fence: " + fence + " (expected: >= 1)");
        }
    }
}
