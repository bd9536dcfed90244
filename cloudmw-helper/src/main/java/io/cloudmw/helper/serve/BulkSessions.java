package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkConnection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The bulk connections made to this helper, by the name each was given. Safe for any thread; bounded by the server. */
public final class BulkSessions {
    private final Map<String, BulkConnection> connections = new ConcurrentHashMap<>();

    void connected(BulkConnection connection) {
        connections.put(connection.sessionId(), connection);
        connection.onClosed(() -> connections.remove(connection.sessionId(), connection));
    }

    public Optional<BulkConnection> find(String sessionId) {
        return Optional.ofNullable(connections.get(sessionId));
    }
}
