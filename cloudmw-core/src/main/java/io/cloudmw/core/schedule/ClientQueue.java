package io.cloudmw.core.schedule;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The waiting work of one client in one class: earliest deadline first among the items that caps let through. Not
 * thread-safe.
 */
final class ClientQueue<T> {
    private final String client;
    private final Map<String, PriorityQueue<ScheduledWork<T>>> volumes = new HashMap<>();

    /** The bytes it may take before others have their turn; negative: it took more than its share. */
    private long deficitBytes;

    private boolean parked;

    ClientQueue(String client, long deficitBytes) {
        this.client = client;
        this.deficitBytes = deficitBytes;
    }

    String client() {
        return client;
    }

    boolean isEmpty() {
        return volumes.isEmpty();
    }

    /** The number of waiting items. */
    int size() {
        return volumes.values().stream().mapToInt(PriorityQueue::size).sum();
    }

    long deficitBytes() {
        return deficitBytes;
    }

    void earn(long bytes) {
        deficitBytes += bytes;
    }

    /** Returns whether it is out of the round because of a cap. */
    boolean isParked() {
        return parked;
    }

    void park(boolean value) {
        parked = value;
    }

    void add(ScheduledWork<T> turn) {
        volumes.computeIfAbsent(
                        turn.tenant().volume(), absent -> new PriorityQueue<>(ScheduledWork.EARLIEST_DEADLINE_FIRST))
                .add(turn);
    }

    void remove(ScheduledWork<T> turn) {
        PriorityQueue<ScheduledWork<T>> waiting = volumes.get(turn.tenant().volume());
        if (waiting != null) {
            waiting.remove(turn);
            if (waiting.isEmpty()) {
                volumes.remove(turn.tenant().volume());
            }
        }
    }

    /** Takes the most urgent item that no cap holds back; null when there is none. */
    @Nullable
    ScheduledWork<T> take(RateCaps clients, RateCaps perVolume, long nowNanos) {
        if (!clients.admits(client, nowNanos)) {
            return null;
        }
        ScheduledWork<T> best = null;
        for (Map.Entry<String, PriorityQueue<ScheduledWork<T>>> volume : volumes.entrySet()) {
            ScheduledWork<T> head = volume.getValue().element();
            if (perVolume.admits(volume.getKey(), nowNanos)
                    && (best == null || ScheduledWork.EARLIEST_DEADLINE_FIRST.compare(head, best) < 0)) {
                best = head;
            }
        }
        if (best != null) {
            remove(best);
            deficitBytes -= best.costBytes();
        }
        return best;
    }

    /** The time at which a cap lets one of its items through, if nothing else is taken meanwhile. */
    long admitsAtNanos(RateCaps clients, RateCaps perVolume, long nowNanos) {
        long anyVolume = volumes.keySet().stream()
                .mapToLong(volume -> perVolume.admitsAtNanos(volume, nowNanos))
                .min()
                .orElse(nowNanos);
        return Math.max(clients.admitsAtNanos(client, nowNanos), anyVolume);
    }
}
