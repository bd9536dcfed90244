package io.cloudmw.coordinator.page;

import io.cloudmw.core.recording.RecordedAttempt;
import java.util.List;

/**
 * A recorded read with its attempts.
 *
 * @param attempts in the order in which they were issued
 * @param omittedAttempts further ones, which are not recorded
 */
public record ShownTimeline(ShownRead read, List<Attempt> attempts, long omittedAttempts) {
    public ShownTimeline {
        attempts = List.copyOf(attempts);
    }

    /** An attempt, with the fields of {@link RecordedAttempt}. Times are nanoseconds since the read's begin. */
    public record Attempt(
            long chunk,
            int block,
            long offset,
            long length,
            String racer,
            String store,
            int number,
            String reason,
            String state,
            long issuedNanos,
            long beganNanos,
            long endedNanos,
            long fetchedBytes,
            long wonBytes,
            String error) {
        static Attempt of(RecordedAttempt attempt) {
            return new Attempt(
                    attempt.chunk(),
                    attempt.block(),
                    attempt.offset(),
                    attempt.length(),
                    attempt.racer(),
                    attempt.store().value(),
                    attempt.number(),
                    attempt.reason().name(),
                    attempt.state().name(),
                    attempt.issuedNanos(),
                    attempt.beganNanos(),
                    attempt.endedNanos(),
                    attempt.fetchedBytes(),
                    attempt.wonBytes(),
                    attempt.error());
        }
    }
}
