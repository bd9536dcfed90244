package io.cloudmw.client.rpc;

import java.time.Duration;

/**
 * How long a call waits for the coordinator, tries and pauses included.
 *
 * @param each of a coordinator that answered before
 * @param first of a coordinator that never answered: its address may be wrong
 */
public record CoordinatorTimes(Duration each, Duration first) {
    /** The same time for both. */
    public static CoordinatorTimes of(Duration time) {
        return new CoordinatorTimes(time, time);
    }

    /** The limit of a call in nanoseconds. */
    long nanos(boolean reached) {
        return (reached ? each : first).toNanos();
    }
}
