package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Priority;

/**
 * The tenant for whom work is done. Immutable.
 *
 * @param client has one share, however many streams it opens
 * @param volume the volume of the bytes
 * @param priority its class
 */
public record Tenant(String client, String volume, Priority priority) {
    /** The most shares that are told apart for a client that asks for others. */
    public static final int SHARES = 16;

    /**
     * This client's share where another process asks for it and for others: 0 to {@value #SHARES} - 1, always the
     * same.
     */
    public int share() {
        return Math.floorMod(client.hashCode(), SHARES);
    }

    /** The tenant for one share of this client's own clients. */
    public Tenant ofShare(int share) {
        return new Tenant(client + "#" + share, volume, priority);
    }
}
