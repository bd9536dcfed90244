package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.placement.Candidate;
import java.time.Duration;

/**
 * How a store is now.
 *
 * @param candidate whether it could take anything
 * @param roomBytes what chunks may still use; {@code Long.MAX_VALUE}: nobody knows of a limit
 * @param available whether it can be reached
 * @param away for how long it could not; zero when it can
 * @param lost whether nobody waits for it any more: it is away for so long, or was declared gone for good
 * @param draining whether its copies are to go elsewhere
 * @param reserveBytes what it must keep free besides the room; zero where nobody knows
 */
public record StoreCondition(
        Candidate candidate,
        long roomBytes,
        boolean available,
        Duration away,
        boolean lost,
        boolean draining,
        long reserveBytes) {
    /** A store without a reserve. */
    public StoreCondition(
            Candidate candidate, long roomBytes, boolean available, Duration away, boolean lost, boolean draining) {
        this(candidate, roomBytes, available, away, lost, draining, 0);
    }

    public StoreId id() {
        return candidate.store().id();
    }

    /** Which disk or bucket it is. */
    public StoreIdentity identity() {
        return candidate.store().identity();
    }

    /** The same, but that it takes no copies. */
    public StoreCondition refusing(String obstacle) {
        return new StoreCondition(
                new Candidate(candidate.store(), obstacle, candidate.weight()),
                roomBytes,
                available,
                away,
                lost,
                draining,
                reserveBytes);
    }

    /** The same for a volume that gives it up: its copies are to go elsewhere. */
    public StoreCondition leaving() {
        return new StoreCondition(candidate, roomBytes, available, away, lost, true, reserveBytes);
    }

    /** Whether it could take a copy of so many bytes now. */
    public boolean takes(long bytes) {
        return available && !lost && !draining && candidate.usable() && roomBytes >= bytes;
    }

    /** Whether copies in it are to stay there. */
    public boolean keeps() {
        return !lost && !draining;
    }
}
