package io.cloudmw.client.pack;

import io.cloudmw.client.rpc.coordinator.SmallFileCalls.NextPlacement;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.WritePlan;
import java.util.concurrent.TimeUnit;

/**
 * A placement for a pack or a file that has not begun, under this version. Immutable.
 *
 * @param untilNanos from when on it is too old, by the client's ticker
 */
record ReadyPlacement(VersionId version, WritePlan plan, long untilNanos) {
    /** A helper that was placed longer ago may be gone or full. */
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    static ReadyPlacement of(VersionId version, NextPlacement placed, long nowNanos) {
        return new ReadyPlacement(
                version,
                placed.plan(),
                nowNanos + Math.min(MOST_NANOS, placed.kept().toNanos()));
    }

    boolean isFresh(long nowNanos) {
        return nowNanos - untilNanos < 0;
    }
}
