package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.HashMap;
import java.util.Map;

/**
 * Places for what is served at once. One connection has half of them at most: who takes much and reads it slowly leaves the rest to
 * others. Safe for any thread.
 */
final class Places {
    private final String what;
    private final int limit;

    /** By the connection's session. */
    @GuardedBy("this")
    private final Map<String, Integer> taken = new HashMap<>();

    @GuardedBy("this")
    private int used;

    /** @param what has a place each, for messages */
    Places(String what, int limit) {
        this.what = what;
        this.limit = limit;
    }

    /**
     * Takes one.
     *
     * @param served what is to have it, for messages
     * @throws CloudMwException {@code OVERLOADED} when all are taken, or as many as this connection may have
     */
    synchronized void take(String session, String served) throws CloudMwException {
        int own = taken.getOrDefault(session, 0);
        if (used >= limit) {
            throw CloudMwException.full(served + ": " + used + " " + what + " at once already");
        }
        if (own >= Math.max(1, limit / 2)) {
            throw CloudMwException.full(
                    served + ": " + own + " of " + limit + " " + what + " at once are this connection's already");
        }
        taken.put(session, own + 1);
        used++;
    }

    synchronized void giveBack(String session) {
        used--;
        taken.computeIfPresent(session, (name, own) -> own == 1 ? null : own - 1);
    }

    synchronized boolean isHalfTaken() {
        return used >= limit / 2;
    }
}
