package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Priority;
import io.cloudmw.core.security.TransferClaims;

/**
 * The tenant for whom work is done. Immutable.
 *
 * @param client has one share, however many connections and streams it opens
 * @param volume the volume of the bytes
 * @param priority its class
 * @param connection the client's connection by which the work came, or a share of that connection: a subject may have
 *     many, and some may be idle
 */
public record Tenant(String client, String volume, Priority priority, String connection) {
    /** The most shares that are told apart for a client that asks for others. */
    public static final int SHARES = 16;

    /** A client that is its connection. */
    public Tenant(String client, String volume, Priority priority) {
        this(client, volume, priority, client);
    }

    /**
     * The tenant of work that a verified token allows: the subject that holds the token, or in plain text the connection.
     *
     * @param connection by which the token came
     */
    public static Tenant of(TransferClaims claims, String connection, Priority priority) {
        return new Tenant(claims.client(connection), claims.file().volume().value(), priority, connection);
    }

    /**
     * The share of this client's connection where another process asks for it and for others: 0 to {@value #SHARES} - 1,
     * always the same.
     */
    public int share() {
        return Math.floorMod(connection.hashCode(), SHARES);
    }

    /** The tenant for one share of a connection that asks for others; a subject stays the client of its work. */
    public Tenant ofShare(int share) {
        String part = connection + "#" + share;
        return client.equals(connection)
                ? new Tenant(part, volume, priority)
                : new Tenant(client, volume, priority, part);
    }
}
