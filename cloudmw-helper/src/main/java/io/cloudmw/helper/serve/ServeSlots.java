package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.util.HashMap;
import java.util.Map;

/**
 * The slots for responses that a helper serves at once. A single client gets half of them at most, so that a slow reader
 * leaves the rest to others. Safe for any thread.
 */
public final class ServeSlots {
    private final String what;
    private final int limit;

    /** By client. */
    @GuardedBy("this")
    private final Map<String, Integer> taken = new HashMap<>();

    @GuardedBy("this")
    private int used;

    /** @param what the kind of response, for messages */
    public ServeSlots(String what, int limit) {
        this.what = what;
        this.limit = limit;
    }

    /**
     * Takes a slot.
     *
     * @param served the response, for messages
     * @throws CloudMwException {@code OVERLOADED} when all slots are taken, or half of them by this client
     */
    public synchronized void take(String client, String served) throws CloudMwException {
        int own = taken.getOrDefault(client, 0);
        if (used >= limit) {
            throw CloudMwException.full(served + ": " + used + " " + what + " at once already");
        }
        if (own >= Math.max(1, limit / 2)) {
            throw CloudMwException.full(
                    served + ": " + own + " of " + limit + " " + what + " at once are this client's already");
        }
        taken.put(client, own + 1);
        used++;
    }

    public synchronized void giveBack(String client) {
        used--;
        taken.computeIfPresent(client, (name, own) -> own == 1 ? null : own - 1);
    }

    public synchronized boolean isHalfTaken() {
        return used >= limit / 2;
    }
}
