package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Priority;

/**
 * On whose behalf something is done. Immutable.
 *
 * @param client has one share, however many streams it opens
 * @param volume whose bytes these are
 * @param priority its class
 */
public record Tenant(String client, String volume, Priority priority) {
    /** Shares of a client who asks for others: so many of those are told apart at most. */
    public static final int SHARES = 16;

    /** Which share this client's is where another asks for it, and for others: 0 to {@value #SHARES} - 1, always the same. */
    public int share() {
        return Math.floorMod(client.hashCode(), SHARES);
    }

    /** The one of this client's own clients, or those, for whom it asks. */
    public Tenant ofShare(int share) {
        return new Tenant(client + "#" + share, volume, priority);
    }
}
