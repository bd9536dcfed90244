package io.cloudmw.coordinator.upkeep.collect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.OrderedRound;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The rounds of garbage collection: their orders and their counts. Safe for any thread; never blocks. */
final class CollectionRounds {
    private final boolean deletes;

    @GuardedBy("this")
    private final CollectionOrders orders = new CollectionOrders();

    /** True when the round under way exists for orders alone, so that it ends with the last of them. */
    @GuardedBy("this")
    private boolean onlyOrdered;

    @GuardedBy("this")
    private CollectProgress progress = CollectProgress.NONE;

    /** @param deletes whether collection is turned on; otherwise all rounds are dry */
    CollectionRounds(boolean deletes) {
        this.deletes = deletes;
    }

    /**
     * Orders a round, which begins when none is under way. A repeated order is for the same round.
     *
     * @param order chosen by the client
     * @param dry whether the round marks and deletes nothing
     * @return the number of that round
     * @throws CloudMwException {@code INVALID_ARGUMENT} when collection is turned off, and the order is not dry; as
     *     {@link CollectionOrders#add}
     */
    synchronized long order(UUID order, boolean dry) throws CloudMwException {
        if (!dry && !deletes) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "garbage collection is turned off (expected: coordinator.collect = true, or a dry run)");
        }
        return orders.add(order, dry, progress.rounds() + (progress.underWay() ? 2 : 1));
    }

    /** Orders a deleting round, unless one is ordered already. */
    synchronized void orderUnlessOrdered() throws CloudMwException {
        if (!wanted().equals(Optional.of(false))) {
            long unused = order(UUID.randomUUID(), false);
        }
    }

    /** Withdraws an order; a round for orders alone ends with the last of them. Does nothing when it is over. */
    synchronized void withdraw(UUID order) {
        orders.withdraw(order, progress);
    }

    /**
     * Returns the progress of an order.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the order is not known here
     */
    synchronized OrderedRound find(UUID order) throws CloudMwException {
        return orders.find(order, progress);
    }

    /** Returns true when all orders of the next or present round are dry; empty without an order. */
    synchronized Optional<Boolean> wanted() {
        return orders.dry(progress.rounds() + 1);
    }

    /** Starts a round. Returns false when a deleting round was ordered meanwhile, and this one is dry. */
    synchronized boolean start(CollectRound round, boolean forOrders) {
        if (round.dry() && wanted().equals(Optional.of(false))) {
            return false;
        }
        onlyOrdered = forOrders;
        progress = new CollectProgress(progress.rounds(), true, round, progress.last());
        return true;
    }

    /** Returns whether the round under way has lost its last order. */
    synchronized boolean isToEnd() {
        return progress.underWay() && onlyOrdered && wanted().isEmpty();
    }

    /** Ends the round under way, and its orders. */
    synchronized void end() {
        orders.end(progress.rounds() + 1, progress.now());
        progress = new CollectProgress(progress.rounds() + 1, false, CollectRound.NONE, progress.now());
    }

    /** Changes the counts of the round under way; the tasks of a round that was ended count no more. */
    synchronized void count(UnaryOperator<CollectRound> change) {
        if (progress.underWay()) {
            progress = new CollectProgress(progress.rounds(), true, change.apply(progress.now()), progress.last());
        }
    }

    synchronized CollectProgress progress() {
        return progress;
    }
}
