package io.cloudmw.helper.relay;

import io.cloudmw.core.bulk.BulkConnection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The bulk connections that destinations have made to this helper, by session id. Safe for any thread; bounded by the
 * server.
 */
public final class DestinationSessions {
    private final Map<String, BulkConnection> connections = new ConcurrentHashMap<>();

    /** Adds a connection; it is removed when it closes. */
    public void connected(BulkConnection connection) {
        connections.put(connection.sessionId(), connection);
        connection.onClosed(() -> connections.remove(connection.sessionId(), connection));
    }

    /** The connection with a session id; empty when it is closed. */
    public Optional<BulkConnection> find(String sessionId) {
        return Optional.ofNullable(connections.get(sessionId));
    }
}
