package io.cloudmw.client.rpc;

import java.time.Duration;

/**
 * The time limits of one call to the coordinator, retries and pauses included.
 *
 * @param each for a coordinator that answered before
 * @param first for a coordinator that never answered: its address may be wrong
 * @param refused for a coordinator that never answered, while the connection is refused: no process listens there
 */
public record CoordinatorTimes(Duration each, Duration first, Duration refused) {
    /** The same limit for all. */
    public static CoordinatorTimes of(Duration time) {
        return new CoordinatorTimes(time, time, time);
    }

    /**
     * The limit of a call in nanoseconds.
     *
     * @param reached whether the coordinator ever answered
     * @param isRefused whether the last connection was refused
     */
    long nanos(boolean reached, boolean isRefused) {
        Duration limit = reached ? each : isRefused ? refused : first;
        return limit.toNanos();
    }
}
