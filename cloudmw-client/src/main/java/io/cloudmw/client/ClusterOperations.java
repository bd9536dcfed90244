package io.cloudmw.client;

import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.status.HelperStatus;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.core.status.fleet.FleetView;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The operations on the cluster as a whole: its state, its speeds, and rounds of upkeep. Safe for any thread;
 * {@link CloudMw} says how a future fails and which threads run callbacks.
 */
public final class ClusterOperations {
    private final CoordinatorClient coordinator;

    ClusterOperations(CoordinatorClient coordinator) {
        this.coordinator = coordinator;
    }

    /** Lists the helpers that the coordinator knows, dead ones included. */
    public CompletableFuture<List<HelperStatus>> helpers() {
        return coordinator.helpers();
    }

    /** Looks up the state of the stores, and the progress of upkeep with missing and surplus copies. */
    public CompletableFuture<UpkeepStatus> status() {
        return coordinator.status();
    }

    /** Looks up the speeds of stores and helpers, and what helpers do, as the helpers reported within the last seconds. */
    public CompletableFuture<FleetView> fleet() {
        return coordinator.viewFleet();
    }

    /**
     * Orders a round of garbage collection: objects in stores that no file names are deleted. The round begins when no other
     * round of collection is under way.
     *
     * @param order a new id for this order; {@link #collection} and {@link #endCollection} take it
     * @param dry whether the objects are only counted
     * @return the number of the round, when the order is recorded; fails with {@code CANCELLED} when the order was ended
     *     before
     */
    public CompletableFuture<Long> collect(UUID order, boolean dry) {
        return coordinator.collect(order, dry);
    }

    /**
     * Looks up the progress of a round of garbage collection.
     *
     * @param order the id given to {@link #collect}
     * @return the progress; fails with {@code NOT_FOUND} for an unknown order: a coordinator forgets all orders when it is
     *     restarted or takes over upkeep
     */
    public CompletableFuture<OrderedRound> collection(UUID order) {
        return coordinator.collection(order);
    }

    /**
     * Withdraws an order of garbage collection. The round ends early unless another client ordered it, too. A round that is
     * over is left alone.
     *
     * @param order the id given to {@link #collect}
     */
    public CompletableFuture<Void> endCollection(UUID order) {
        return coordinator.endCollection(order);
    }

    /**
     * Begins a round that reads, checks and repairs copies, or only repairs them. A single round runs at a time.
     *
     * @param attended whether the round ends when {@link #round} is not called for half a minute
     * @return the number of the round, when it has begun; fails with {@code ALREADY_EXISTS} while another round runs, with
     *     {@code VOLUME_NOT_FOUND} and with {@code NOT_FOUND}
     */
    public CompletableFuture<Long> beginRound(RoundProgress.Kind kind, RoundScope scope, boolean attended) {
        return coordinator.beginRound(kind, scope, attended);
    }

    /**
     * Looks up the progress of a round.
     *
     * @return the progress; fails with {@code NOT_FOUND} when the round is unknown, because another coordinator took over
     *     upkeep
     */
    public CompletableFuture<RoundProgress> round(long number) {
        return coordinator.round(number);
    }

    /**
     * Ends a round early. A round that is over is left alone.
     *
     * @return its progress; fails as {@link #round} does
     */
    public CompletableFuture<RoundProgress> endRound(long number) {
        return coordinator.endRound(number);
    }
}
