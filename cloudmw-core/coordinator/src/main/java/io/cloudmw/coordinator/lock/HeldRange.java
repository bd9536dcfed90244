package io.cloudmw.coordinator.lock;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;

/**
 * A lock on a range of a file, as it was granted or last renewed.
 *
 * @param holder the client, for messages
 * @param untilMillis civil time from which on it no longer excludes others
 */
public record HeldRange(LockClaim claim, String holder, ByteRange range, boolean shared, long untilMillis) {
    boolean excludes(LockRequest request) {
        boolean overlaps =
                range.offset() < request.range().end() && request.range().offset() < range.end();
        return overlaps && !(shared && request.shared());
    }

    HeldRange until(long millis) {
        return new HeldRange(claim, holder, range, shared, millis);
    }

    @Override
    public String toString() {
        return (shared ? "a shared lock on " : "a lock on ") + range + " of " + holder;
    }
}
