package io.cloudmw.core.status;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.time.Duration;

/**
 * The present condition of a store.
 *
 * @param candidate whether it could take anything
 * @param roomBytes how many bytes chunks may still use; {@code Long.MAX_VALUE}: no known limit
 * @param available whether it can be reached
 * @param away how long it has been absent; zero when it can be reached
 * @param lost whether it was absent for too long, or was declared lost
 * @param draining whether its copies are to move elsewhere
 * @param reserveBytes what it must keep free besides the room; zero: not known
 */
public record StoreCondition(
        StoreCandidate candidate,
        long roomBytes,
        boolean available,
        Duration away,
        boolean lost,
        boolean draining,
        long reserveBytes) {
    /** Creates the condition of a store without a reserve. */
    public StoreCondition(
            StoreCandidate candidate,
            long roomBytes,
            boolean available,
            Duration away,
            boolean lost,
            boolean draining) {
        this(candidate, roomBytes, available, away, lost, draining, 0);
    }

    /** The id of the store. */
    public StoreId id() {
        return candidate.store().id();
    }

    /** Returns the identity of its disk or bucket. */
    public StoreIdentity identity() {
        return candidate.store().identity();
    }

    /** Returns the condition with an obstacle, so that it takes no copies. */
    public StoreCondition refusing(String obstacle) {
        return new StoreCondition(
                new StoreCandidate(candidate.store(), obstacle, candidate.weight()),
                roomBytes,
                available,
                away,
                lost,
                draining,
                reserveBytes);
    }

    /** Returns the condition for a volume that leaves the store: its copies are to move elsewhere. */
    public StoreCondition leaving() {
        return withDraining(true);
    }

    /** Returns the condition after an order to drain the store, or to end that. */
    public StoreCondition withDraining(boolean ordered) {
        return new StoreCondition(candidate, roomBytes, available, away, lost, ordered, reserveBytes);
    }

    /** Returns whether it could take a copy of so many bytes now. */
    public boolean takes(long bytes) {
        return available && !lost && !draining && candidate.usable() && roomBytes >= bytes;
    }

    /** Returns whether copies in it stay there. */
    public boolean keeps() {
        return !lost && !draining;
    }
}
