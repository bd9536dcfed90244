package io.cloudmw.client.peer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of neighbours. Readers keep theirs for a next read that may never come. So idle connections are
 * bounded, and the one idle longest is closed. Safe for any thread.
 */
final class PeerSessions {
    private final int maxIdle;

    /** The one idle longest is first. */
    @GuardedBy("this")
    private final Set<BulkConnection> idle = new LinkedHashSet<>();

    /** Requests under way. */
    @GuardedBy("this")
    private final Map<BulkConnection, Integer> busy = new HashMap<>();

    @GuardedBy("this")
    private long displaced;

    PeerSessions(int maxIdle) {
        this.maxIdle = maxIdle;
    }

    /** Adds a connection that has made no request yet. */
    void connected(BulkConnection connection) {
        List<BulkConnection> surplus;
        synchronized (this) {
            idle.add(connection);
            surplus = surplus();
        }
        var unused = connection.onClosed(() -> gone(connection));
        close(surplus);
    }

    private synchronized void gone(BulkConnection connection) {
        idle.remove(connection);
        busy.remove(connection);
    }

    /** Begins a request on the connection, until {@link #ended}. */
    synchronized void begun(BulkConnection connection) {
        idle.remove(connection);
        busy.merge(connection, 1, Integer::sum);
    }

    void ended(BulkConnection connection) {
        List<BulkConnection> surplus;
        synchronized (this) {
            @Nullable Integer left = busy.computeIfPresent(connection, (same, requests) -> requests - 1);
            if (left != null && left == 0) {
                busy.remove(connection);
                idle.add(connection);
            }
            surplus = surplus();
        }
        close(surplus);
    }

    @GuardedBy("this")
    private List<BulkConnection> surplus() {
        List<BulkConnection> surplus = new ArrayList<>();
        Iterator<BulkConnection> oldestFirst = idle.iterator();
        while (idle.size() > maxIdle) {
            surplus.add(oldestFirst.next());
            oldestFirst.remove();
        }
        displaced += surplus.size();
        return surplus;
    }

    /** Closes the surplus; requests that cross with this fail with {@code OVERLOADED}. */
    private static void close(List<BulkConnection> surplus) {
        surplus.forEach(connection -> connection.close(
                new CloudMwException(ErrorCode.OVERLOADED, "closed to make room: the connection was idle")));
    }

    /** The number of connections that were closed to make room. */
    synchronized long displaced() {
        return displaced;
    }
}
