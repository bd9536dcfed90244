package io.cloudmw.client.peer;

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
 * The connections of neighbours. Readers keep theirs for the next read, which may never come; so those on which nothing is asked
 * for are bounded, and the one unused longest makes room. Safe for any thread.
 */
final class PeerSessions {
    private final int maxIdle;

    /** The one unused longest is the first. */
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

    /** One more, that has asked for nothing yet. */
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

    /** Something is asked for on it, until {@link #ended}. */
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

    /** What crosses with this is told that there is no room, which is nobody's fault. */
    private static void close(List<BulkConnection> surplus) {
        surplus.forEach(connection -> connection.close(
                new CloudMwException(ErrorCode.OVERLOADED, "closed for others: nothing was asked for on it")));
    }

    /** Those that were closed for others so far. */
    synchronized long displaced() {
        return displaced;
    }
}
