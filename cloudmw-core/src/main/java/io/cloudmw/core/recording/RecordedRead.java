package io.cloudmw.core.recording;

import io.cloudmw.core.model.Mode;
import java.time.Instant;
import java.util.List;

/**
 * A read as its reader has reported it so far.
 *
 * @param id 32 hexadecimal digits
 * @param wantedBytes bytes that the read delivers
 * @param mode the mode of the plan
 * @param began when the read was planned, by the coordinator's clock
 * @param elapsedNanos from the read's begin to the last report
 * @param silent whether the read is running and its reader has stopped reporting
 * @param error the failure of a failed read; otherwise empty
 * @param attempts in the order in which they were issued, at most {@value #MAX_ATTEMPTS}
 * @param omittedAttempts number of further attempts
 */
public record RecordedRead(
        String id,
        String volume,
        String path,
        long wantedBytes,
        Mode mode,
        Instant began,
        long elapsedNanos,
        State state,
        boolean silent,
        String error,
        List<RecordedAttempt> attempts,
        long omittedAttempts) {
    /** The most attempts of one read. */
    public static final int MAX_ATTEMPTS = 2048;

    /** The state of a read. */
    public enum State {
        RUNNING,
        DELIVERED,
        FAILED
    }

    public RecordedRead {
        attempts = List.copyOf(attempts);
    }
}
