package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import org.jspecify.annotations.Nullable;

/**
 * A report on an attempt, for the destination.
 *
 * @param bytes bytes fetched so far
 * @param cause the failure in {@link State#FAILED}; null otherwise
 */
public record AttemptReport(
        AttemptId attempt,
        StoreId store,
        State state,
        long bytes,
        long elapsedNanos,
        @Nullable CloudMwException cause) {
    /** The state of an attempt. */
    public enum State {
        /** The attempt waits for a thread, or its block for a stream to the destination. */
        WAITING,
        /** The store was asked. */
        STARTED,
        PROGRESSED,
        FINISHED,
        CANCELLED,
        FAILED;

        /** Returns whether a later report repeats this state, so that this one may be dropped. */
        public boolean isRepeated() {
            return this == WAITING || this == PROGRESSED;
        }
    }
}
