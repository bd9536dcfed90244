package io.cloudmw.core.schedule;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one class: deficit round robin among its clients. A client without a backlog comes before those of the
 * round, once, with one quantum, so that small requests do not wait for others' backlogs. When such clients keep
 * coming, those of the round have a turn after {@value #MOST_AHEAD} of theirs. Not thread-safe.
 *
 * <p>[1] M. Shreedhar, G. Varghese, Efficient Fair Queuing Using Deficit Round Robin, SIGCOMM 1995. [2] M. MacGregor,
 * W. Shi, Deficits for Bursty Latency-critical Flows: DRR++, ICON 2000; RFC 8290. <b>Differs:</b> a client is served
 * while its deficit is positive and pays for the last work item afterwards, so that the quantum may be smaller than an
 * item. A debt outlives the client's queue, so that a client pays it before it counts as new. A client that a cap
 * holds back leaves the round until the cap lets it through, and earns nothing meanwhile. Nor does an idle client
 * while all the others are held back. So clients that share a cap share it evenly, too.
 */
final class ClassQueue<T> {
    private static final int MOST_AHEAD = 64;

    /** The most idle clients whose deficit is kept; beyond that the oldest deficits are dropped. */
    static final int MOST_IDLE = 16_384;

    private final long quantumBytes;
    private final RateCaps clientCaps;
    private final RateCaps volumeCaps;
    private final Map<String, ClientQueue<T>> clients = new HashMap<>();
    private final ArrayDeque<ClientQueue<T>> fresh = new ArrayDeque<>();
    private final ArrayDeque<ClientQueue<T>> round = new ArrayDeque<>();
    /** The clients that caps hold back, in the order in which they left the round. */
    private final ArrayDeque<ClientQueue<T>> parked = new ArrayDeque<>();
    /** The time when the first of them may be let through; valid while there are any. */
    private long lookAtNanos;

    private int queued;
    /** The work items of clients that caps hold back. */
    private int held;
    /** The turns of new clients since the last turn of the round. */
    private int ahead;

    ClassQueue(long quantumBytes, RateCaps clientCaps, RateCaps volumeCaps) {
        this.quantumBytes = quantumBytes;
        this.clientCaps = clientCaps;
        this.volumeCaps = volumeCaps;
    }

    int queued() {
        return queued;
    }

    void add(ScheduledWork<T> turn) {
        ClientQueue<T> client = clients.get(turn.tenant().client());
        if (client == null) {
            client = new ClientQueue<>(turn.tenant().client(), quantumBytes);
            clients.put(client.client(), client);
            fresh.add(client);
        }
        client.add(turn);
        if (client.isParked()) {
            held++;
            // Its other volumes may be free.
            lookAt(client.admitsAtNanos(clientCaps, volumeCaps, turn.submittedNanos()));
        }
        queued++;
    }

    void remove(ScheduledWork<T> turn) {
        ClientQueue<T> client = clients.get(turn.tenant().client());
        if (client != null) {
            client.remove(turn);
            held -= client.isParked() ? 1 : 0;
            queued--;
        }
    }

    /** Takes the next work item; null when the queue is empty, or caps hold everything back. */
    @Nullable
    ScheduledWork<T> take(long nowNanos) {
        if (!parked.isEmpty() && lookAtNanos - nowNanos <= 0) {
            unpark(nowNanos);
        }
        if (queued == 0 || clients.size() - queued > MOST_IDLE) {
            forgetIdle();
        }
        ScheduledWork<T> turn = null;
        while (turn == null && queued > held) {
            boolean first = !fresh.isEmpty() && (round.isEmpty() || ahead < MOST_AHEAD);
            turn = visit(first ? fresh : round, nowNanos);
            if (turn != null) {
                ahead = first ? ahead + 1 : 0;
            }
        }
        queued -= turn == null ? 0 : 1;
        return turn;
    }

    /** Gives the first client of a list its turn, or moves it to where it belongs. */
    private @Nullable ScheduledWork<T> visit(ArrayDeque<ClientQueue<T>> list, long nowNanos) {
        ClientQueue<T> client = list.element();
        long untilNanos = client.admitsAtNanos(clientCaps, volumeCaps, nowNanos);
        if (!client.isEmpty() && untilNanos - nowNanos > 0) {
            park(list.remove(), untilNanos); // before it earns credit that it cannot use
            return null;
        }
        if (client.deficitBytes() <= 0) {
            client.earn(quantumBytes);
            round.add(list.remove());
            return null;
        }
        if (client.isEmpty()) {
            list.remove();
            leave(client, list == fresh && !round.isEmpty());
            return null;
        }
        return client.take(clientCaps, volumeCaps, nowNanos);
    }

    /** Drops a client without work, but not before others had their turn. */
    private void leave(ClientQueue<T> client, boolean waits) {
        if (waits) {
            round.add(client);
        } else {
            clients.remove(client.client());
        }
    }

    private void forgetIdle() {
        for (ArrayDeque<ClientQueue<T>> list : List.of(fresh, round, parked)) {
            list.removeIf(ClientQueue::isEmpty);
        }
        clients.values().removeIf(ClientQueue::isEmpty);
    }

    private void park(ClientQueue<T> client, long untilNanos) {
        client.park(true);
        held += client.size();
        if (parked.isEmpty()) {
            lookAtNanos = untilNanos;
        }
        parked.add(client);
        lookAt(untilNanos);
    }

    /**
     * Returns clients that caps let through to the round. Each left it when its turn had come, so it goes on there, in
     * the order in which they left.
     */
    private void unpark(long nowNanos) {
        lookAtNanos = nowNanos + Long.MAX_VALUE;
        for (int left = parked.size(); left > 0; left--) {
            ClientQueue<T> client = parked.removeLast();
            long untilNanos = client.admitsAtNanos(clientCaps, volumeCaps, nowNanos);
            if (untilNanos - nowNanos > 0) {
                parked.addFirst(client);
                lookAt(untilNanos);
            } else {
                client.park(false);
                held -= client.size();
                round.addFirst(client);
            }
        }
    }

    /** Notes that caps may let something through sooner than was known: from this time on. */
    void lookAt(long atNanos) {
        if (atNanos - lookAtNanos < 0) {
            lookAtNanos = atNanos;
        }
    }

    /** Returns bytes that a client was charged and did not use. */
    void refund(String client, long bytes) {
        ClientQueue<T> charged = clients.get(client);
        if (charged != null) {
            charged.earn(Math.min(bytes, quantumBytes - charged.deficitBytes()));
        }
    }

    /** The time at which caps let a waiting item through; empty: no item waits for a cap. */
    OptionalLong admitsAtNanos() {
        return parked.isEmpty() ? OptionalLong.empty() : OptionalLong.of(lookAtNanos);
    }

    int clients() {
        return clients.size();
    }
}
