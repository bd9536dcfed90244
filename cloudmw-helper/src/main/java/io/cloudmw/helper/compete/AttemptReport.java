package io.cloudmw.helper.compete;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.AttemptId;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt is doing.
 *
 * @param bytes fetched so far
 * @param cause only of {@link State#FAILED}
 */
public record AttemptReport(
        AttemptId attempt,
        StoreId store,
        State state,
        long bytes,
        long elapsedNanos,
        @Nullable CloudMwException cause) {
    /** Where it is in its life. */
    public enum State {
        /** Before it starts, or to be relayed: for want of room here. */
        WAITING,
        /** Its store is being asked. */
        STARTED,
        PROGRESSED,
        FINISHED,
        CANCELLED,
        FAILED;

        /** Whether the next report says as much. */
        public boolean isRepeated() {
            return this == WAITING || this == PROGRESSED;
        }
    }
}
