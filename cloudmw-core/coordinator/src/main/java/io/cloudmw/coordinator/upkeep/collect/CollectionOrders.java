package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.OrderedRound;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The orders of garbage collections; several may be for one round. A client chooses the id of its order, so that
 * retries are deduplicated and a withdrawal affects no other order. Not thread-safe.
 */
public final class CollectionOrders {
    /** The most orders of rounds that are not over; more are refused. */
    public static final int MOST_OPEN = 1024;

    /** The most finished orders that can still be queried; the oldest are dropped first. */
    static final int MOST_OVER = 256;

    private final Map<UUID, Order> open = new LinkedHashMap<>();
    private final Map<UUID, OrderedRound> over = new LinkedHashMap<>();

    private record Order(long number, boolean dry) {}

    /**
     * Adds an order, unless it was added before.
     *
     * @param number the number of the round that it is for
     * @return the number of the round; that of the first attempt for a retried order
     * @throws CloudMwException {@code CANCELLED} when the order was withdrawn; {@code OVERLOADED} when too many wait
     */
    public long add(UUID id, boolean dry, long number) throws CloudMwException {
        Order taken = open.get(id);
        if (taken != null) {
            return taken.number();
        }
        OrderedRound before = over.get(id);
        if (before != null && before.state() == OrderedRound.State.CANCELLED) {
            throw new CloudMwException(
                    ErrorCode.CANCELLED,
                    "order " + id + " of a round of garbage collection was withdrawn before it arrived");
        }
        if (before != null) {
            return before.number();
        }
        if (open.size() >= MOST_OPEN) {
            throw CloudMwException.full("rounds of garbage collection are ordered " + open.size()
                    + " times (expected: < " + MOST_OPEN + "); wait for the round under way");
        }
        open.put(id, new Order(number, dry));
        return number;
    }

    /** Returns true when all orders of a round are dry; empty without an order. */
    public Optional<Boolean> dry(long number) {
        return open.values().stream()
                .filter(order -> order.number() == number)
                .map(Order::dry)
                .reduce(Boolean::logicalAnd);
    }

    /** Withdraws an order. A repeated call changes nothing; an order that arrives after its withdrawal is refused. */
    public void withdraw(UUID id, CollectProgress progress) {
        if (over.containsKey(id)) {
            return;
        }
        Order order = open.remove(id);
        close(
                id,
                order == null
                        ? new OrderedRound(0, OrderedRound.State.CANCELLED, CollectRound.NONE)
                        : progress(order, progress, OrderedRound.State.CANCELLED));
    }

    /** Ends a round and its orders. */
    public void end(long number, CollectRound found) {
        List<UUID> ended = new ArrayList<>();
        open.forEach((id, order) -> {
            if (order.number() == number) {
                ended.add(id);
            }
        });
        for (UUID id : ended) {
            open.remove(id);
            close(id, new OrderedRound(number, OrderedRound.State.DONE, found));
        }
    }

    private void close(UUID id, OrderedRound round) {
        if (over.size() >= MOST_OVER) {
            over.remove(over.keySet().iterator().next());
        }
        over.put(id, round);
    }

    /**
     * Returns the progress of an order.
     *
     * @param progress of the rounds
     * @throws CloudMwException {@code NOT_FOUND} when the order is not known
     */
    public OrderedRound find(UUID id, CollectProgress progress) throws CloudMwException {
        Order order = open.get(id);
        if (order != null) {
            return progress(order, progress, OrderedRound.State.UNDER_WAY);
        }
        OrderedRound ended = over.get(id);
        if (ended == null) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND,
                    "order " + id + " of a round of garbage collection not found (its coordinator was restarted, "
                            + "another one took upkeep up, or many rounds have followed; order a new one)");
        }
        return ended;
    }

    /** @param begun the state of the order if its round has begun */
    private static OrderedRound progress(Order order, CollectProgress progress, OrderedRound.State begun) {
        boolean now = progress.underWay() && order.number() == progress.rounds() + 1;
        boolean cancelled = begun == OrderedRound.State.CANCELLED;
        return new OrderedRound(
                order.number(),
                now || cancelled ? begun : OrderedRound.State.WAITING,
                now ? progress.now() : CollectRound.NONE);
    }
}
