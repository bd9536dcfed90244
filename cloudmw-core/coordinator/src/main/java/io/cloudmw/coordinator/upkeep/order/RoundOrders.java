package io.cloudmw.coordinator.upkeep.order;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.upkeep.collect.CollectProgress;
import io.cloudmw.core.upkeep.collect.CollectRound;
import io.cloudmw.core.upkeep.collect.OrderedRound;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Orders of rounds of garbage collection, several of which may be for one round. Each order has an id that its client chose, so
 * that calls may be repeated: an order counts once, and its withdrawal takes no other order away. Not thread-safe.
 */
public final class RoundOrders {
    /** Orders of rounds that are not over; more are refused. */
    public static final int MOST_OPEN = 1024;

    /** Orders that are over and can still be asked for; the oldest are forgotten first. */
    static final int MOST_OVER = 256;

    private final Map<UUID, Order> open = new LinkedHashMap<>();
    private final Map<UUID, OrderedRound> over = new LinkedHashMap<>();

    private record Order(long number, boolean dry) {}

    /**
     * Takes an order, unless it was taken before.
     *
     * @param number of the round that it is for
     * @return the number of the round: another one where it was taken before
     * @throws CloudMwException {@code CANCELLED} when the order was withdrawn; {@code OVERLOADED} when too many wait
     */
    public long add(UUID id, boolean dry, long number) throws CloudMwException {
        Order taken = open.get(id);
        if (taken != null) {
            return taken.number();
        }
        OrderedRound before = over.get(id);
        if (before != null && before.state() == OrderedRound.State.CANCELLED) {
            throw new CloudMwException(ErrorCode.CANCELLED, "order " + id + " of a round: was withdrawn");
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

    /** True when all orders of a round want it dry; empty without an order. */
    public Optional<Boolean> dry(long number) {
        return open.values().stream()
                .filter(order -> order.number() == number)
                .map(Order::dry)
                .reduce(Boolean::logicalAnd);
    }

    /** Withdraws an order. The same again changes nothing; an order that comes later than its withdrawal is refused. */
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

    /** A round is over, and so are the orders of it. */
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
     * How far an order is.
     *
     * @param progress of the rounds
     * @throws CloudMwException {@code NOT_FOUND} when it is not known
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
                    "order " + id + " of a round of garbage collection: not known (its coordinator was restarted, "
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
