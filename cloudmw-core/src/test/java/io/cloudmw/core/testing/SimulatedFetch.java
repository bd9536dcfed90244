package io.cloudmw.core.testing;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.AttemptId;
import io.cloudmw.core.race.Block;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one attempt, decided when it starts.
 *
 * @param endsAfterNanos when it has the whole block, or fails
 * @param failure null: it succeeds
 * @param failedBytes fetched until it fails
 */
record SimulatedFetch(
        AttemptId attempt,
        Block block,
        long startedAtNanos,
        long endsAfterNanos,
        @Nullable ErrorCode failure,
        long failedBytes) {

    boolean isOver(long nowNanos) {
        return nowNanos - startedAtNanos >= endsAfterNanos;
    }

    /** Bytes fetched by now. */
    long bytes(long nowNanos) {
        long whole = failure == null ? block.range().length() : failedBytes;
        long elapsed = Math.min(nowNanos - startedAtNanos, endsAfterNanos);
        return (long) (whole * ((double) elapsed / endsAfterNanos));
    }
}
