package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import org.jspecify.annotations.Nullable;

/**
 * The course of one attempt, decided when it starts.
 *
 * @param movesNanos how long bytes arrive, evenly; after that nothing does
 * @param endsAfterNanos when it has the whole block, or fails
 * @param failure null: it succeeds
 * @param failedBytes fetched until it fails
 */
record SimulatedFetch(
        AttemptId attempt,
        Block block,
        long startedAtNanos,
        long movesNanos,
        long endsAfterNanos,
        @Nullable ErrorCode failure,
        long failedBytes) {

    /** The same attempt, begun later. */
    SimulatedFetch startingAt(long nanos) {
        return new SimulatedFetch(attempt, block, nanos, movesNanos, endsAfterNanos, failure, failedBytes);
    }

    boolean isOver(long nowNanos) {
        return nowNanos - startedAtNanos >= endsAfterNanos;
    }

    /** Bytes fetched by now. */
    long bytes(long nowNanos) {
        long elapsed = Math.min(nowNanos - startedAtNanos, movesNanos);
        return elapsed == movesNanos ? fetchable() : (long) (fetchable() * ((double) elapsed / movesNanos));
    }

    /** The time from now until it has the first {@code leaves} leaves; -1: it never will. */
    long untilLeavesNanos(int leaves, long nowNanos) {
        long bytes = (long) leaves * SimulationSettings.LEAF_BYTES;
        if (bytes > fetchable()) {
            return -1;
        }
        long at = startedAtNanos + (long) Math.ceil((double) movesNanos * bytes / fetchable());
        return Math.max(0, at - nowNanos);
    }

    private long fetchable() {
        return failure == null ? block.range().length() : failedBytes;
    }
}
