package io.cloudmw.client.rpc;

import java.time.Duration;

/**
 * The time limits of one call to the coordinator, retries and pauses included.
 *
 * @param each for a coordinator that answered before
 * @param first for a coordinator that never answered: its address may be wrong
 */
public record CoordinatorTimes(Duration each, Duration first) {
    /** The same limit for both. */
    public static CoordinatorTimes of(Duration time) {
        return new CoordinatorTimes(time, time);
    }

    /** The limit of a call in nanoseconds. */
    long nanos(boolean reached) {
        return (reached ? each : first).toNanos();
    }
}
