package io.cloudmw.core.error;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An I/O failure of CloudMW: a code and a retry verdict, decided where it is thrown. The message names what
 * failed (chunk, replica, attempt, numbers) and never carries a secret.
 */
// The code is no part of the message, which is for people.
@SuppressWarnings("OverrideThrowableToString")
public final class CloudMwException extends IOException {
    /** Things of which there are only so many are over one after the other: who asks again so soon finds room, or costs little. */
    private static final Duration PLACE_AGAIN = Duration.ofMillis(200);

    private final ErrorCode code;
    private final RetryVerdict verdict;
    private final @Nullable Duration retryAfter;
    private final transient Set<String> refusing;

    public CloudMwException(ErrorCode code, String message) {
        this(code, code.verdict(), message, null);
    }

    public CloudMwException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, code.verdict(), message, cause);
    }

    public CloudMwException(ErrorCode code, RetryVerdict verdict, String message, @Nullable Throwable cause) {
        this(code, verdict, message, cause, null, Set.of());
    }

    private CloudMwException(
            ErrorCode code,
            RetryVerdict verdict,
            String message,
            @Nullable Throwable cause,
            @Nullable Duration retryAfter,
            Set<String> refusing) {
        super(message, cause);
        this.code = code;
        this.verdict = verdict;
        this.retryAfter = retryAfter;
        this.refusing = refusing;
    }

    /** {@code OVERLOADED}, and when there should be room. */
    public static CloudMwException overloaded(String message, Duration retryAfter) {
        return new CloudMwException(ErrorCode.OVERLOADED, message).retriedAfter(retryAfter);
    }

    /** {@code OVERLOADED}: as many as may be are there already. Nobody knows when one of them is over; the pause is the same for all. */
    public static CloudMwException full(String message) {
        return overloaded(message, PLACE_AGAIN);
    }

    /**
     * The same failure, whole, as it is told further on: with what was being done before its message. This one is its cause.
     */
    public CloudMwException during(String what) {
        return new CloudMwException(code, verdict, what + ": " + getMessage(), this, retryAfter, refusing);
    }

    /** The same failure; who tries again should wait so long. */
    public CloudMwException retriedAfter(Duration pause) {
        return new CloudMwException(code, verdict, String.valueOf(getMessage()), getCause(), pause, refusing);
    }

    /** The same failure; these stores refuse the chunk however often it is tried, and another store may take it. */
    public CloudMwException refusedBy(Collection<String> stores) {
        return new CloudMwException(
                code, verdict, String.valueOf(getMessage()), getCause(), retryAfter, Set.copyOf(stores));
    }

    /**
     * What becomes of a failure nobody expected: {@code OVERLOADED} where it is memory that ran out, so that it is tried
     * again, or elsewhere; {@code INTERNAL} otherwise.
     *
     * @param what failed; the message begins with it
     */
    public static CloudMwException ofDefect(String what, Throwable thrown) {
        ErrorCode code = thrown instanceof OutOfMemoryError ? ErrorCode.OVERLOADED : ErrorCode.INTERNAL;
        return new CloudMwException(code, what + ": " + thrown, thrown);
    }

    public ErrorCode code() {
        return code;
    }

    public RetryVerdict verdict() {
        return verdict;
    }

    /**
     * Returns whether the thrower knew that no other try helps, although one may help against most failures with
     * this code.
     */
    public boolean isForGood() {
        return verdict == RetryVerdict.NEVER && code.verdict() != RetryVerdict.NEVER;
    }

    /** How long to wait before trying again; empty: who failed does not know. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** Ids of the stores that refuse the chunk of a failed write for good; empty: none is known. */
    public Set<String> refusing() {
        return refusing;
    }

    /** The class, the code, and the message: what a stack trace begins with. */
    @Override
    public String toString() {
        return getClass().getName() + ": " + code + ": " + getMessage();
    }
}
