package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.Urgency;
import java.time.Duration;
import java.util.Optional;

/** The messages of urgency and of retry-after. */
public final class UrgencyWire {
    /** The longest deadline; a longer one is a mistake. */
    private static final long MAX_MILLIS = Duration.ofDays(365).toMillis();

    private UrgencyWire() {}

    public static io.cloudmw.proto.v1.Priority priority(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> io.cloudmw.proto.v1.Priority.PRIORITY_INTERACTIVE;
            case BATCH -> io.cloudmw.proto.v1.Priority.PRIORITY_BATCH;
            case PREFETCH -> io.cloudmw.proto.v1.Priority.PRIORITY_PREFETCH;
            case REPAIR -> io.cloudmw.proto.v1.Priority.PRIORITY_REPAIR;
        };
    }

    /** The priority; an unspecified or unknown one is batch. */
    public static Priority priority(io.cloudmw.proto.v1.Priority priority) {
        return switch (priority) {
            case PRIORITY_INTERACTIVE -> Priority.INTERACTIVE;
            case PRIORITY_PREFETCH -> Priority.PREFETCH;
            case PRIORITY_REPAIR -> Priority.REPAIR;
            case PRIORITY_BATCH, PRIORITY_UNSPECIFIED, UNRECOGNIZED -> Priority.BATCH;
        };
    }

    /** A deadline or a retry-after as a message field; 0: none. */
    public static long millis(Optional<Duration> time) {
        return time.map(value -> Math.max(1, Math.min(MAX_MILLIS, value.toMillis())))
                .orElse(0L);
    }

    /**
     * Reads what {@link #millis} wrote.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is negative or longer than a year
     */
    public static Urgency urgency(io.cloudmw.proto.v1.Priority priority, long deadlineMillis) throws CloudMwException {
        if (deadlineMillis < 0 || deadlineMillis > MAX_MILLIS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "deadline: " + deadlineMillis + " ms (expected: 0.." + MAX_MILLIS + ")");
        }
        return new Urgency(priority(priority), duration(deadlineMillis));
    }

    /** The same failure with the peer's retry-after, if it sent one. */
    public static CloudMwException retriedAfter(CloudMwException failure, long retryAfterMillis) {
        return retryAfterMillis <= 0
                ? failure
                : failure.retriedAfter(Duration.ofMillis(Math.min(retryAfterMillis, MAX_MILLIS)));
    }

    private static Optional<Duration> duration(long millis) {
        return millis == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }
}
