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
    /**
     * The retry-after of full limits: their users end one after the other, so that a retry soon finds room or costs
     * little.
     */
    private static final Duration PLACE_AGAIN = Duration.ofMillis(200);

    private final ErrorCode code;
    private final RetryVerdict verdict;
    private final @Nullable Duration retryAfter;
    private final transient Set<String> refusing;

    /** A failure with the usual retry verdict of its code. */
    public CloudMwException(ErrorCode code, String message) {
        this(code, code.verdict(), message, null);
    }

    /** A failure with a cause, and the usual retry verdict of its code. */
    public CloudMwException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, code.verdict(), message, cause);
    }

    /** A failure with a retry verdict of its own. */
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

    /** {@code OVERLOADED} with a retry-after. */
    public static CloudMwException overloaded(String message, Duration retryAfter) {
        return new CloudMwException(ErrorCode.OVERLOADED, message).retriedAfter(retryAfter);
    }

    /**
     * {@code OVERLOADED} by a full limit. The time of the next free place is unknown, so the retry-after is always the
     * same.
     */
    public static CloudMwException full(String message) {
        return overloaded(message, PLACE_AGAIN);
    }

    /** The same failure with the current action before its message, and with this one as its cause. */
    public CloudMwException during(String what) {
        return new CloudMwException(code, verdict, what + ": " + getMessage(), this, retryAfter, refusing);
    }

    /** The same failure with a retry-after. */
    public CloudMwException retriedAfter(Duration pause) {
        return new CloudMwException(code, verdict, String.valueOf(getMessage()), getCause(), pause, refusing);
    }

    /** The same failure of a write; these stores refuse the chunk for good, and another store may take it. */
    public CloudMwException refusedBy(Collection<String> stores) {
        return new CloudMwException(
                code, verdict, String.valueOf(getMessage()), getCause(), retryAfter, Set.copyOf(stores));
    }

    /**
     * The failure for an unexpected exception: {@code OVERLOADED} when memory ran out, so that it is retried there or
     * elsewhere; {@code INTERNAL} otherwise.
     *
     * @param what the failed action, with which the message begins
     */
    public static CloudMwException ofDefect(String what, Throwable thrown) {
        ErrorCode code = thrown instanceof OutOfMemoryError ? ErrorCode.OVERLOADED : ErrorCode.INTERNAL;
        return new CloudMwException(code, what + ": " + thrown, thrown);
    }

    /** The code, as in {@code docs/errors.md}. */
    public ErrorCode code() {
        return code;
    }

    /** The verdict on a retry. */
    public RetryVerdict verdict() {
        return verdict;
    }

    /**
     * Returns whether the thrower knew that no retry helps, although a retry may help against most failures with this
     * code.
     */
    public boolean isForGood() {
        return verdict == RetryVerdict.NEVER && code.verdict() != RetryVerdict.NEVER;
    }

    /** The delay before a retry; empty: unknown. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** The ids of the stores that refuse the chunk of a failed write for good; empty: none is known. */
    public Set<String> refusing() {
        return refusing;
    }

    /** The class, the code, and the message: the first line of a stack trace. */
    @Override
    public String toString() {
        return getClass().getName() + ": " + code + ": " + getMessage();
    }
}
