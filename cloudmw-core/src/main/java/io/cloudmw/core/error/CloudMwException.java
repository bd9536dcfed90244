package io.cloudmw.core.error;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An I/O failure of CloudMW: a code and a retry verdict, decided where it is thrown. The message names what
 * failed (chunk, replica, attempt, numbers) and never carries a secret.
 */
// The code is no part of the message, which is for people.
@SuppressWarnings("OverrideThrowableToString")
public final class CloudMwException extends IOException {
    private final ErrorCode code;
    private final RetryVerdict verdict;

    public CloudMwException(ErrorCode code, String message) {
        this(code, code.verdict(), message, null);
    }

    public CloudMwException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, code.verdict(), message, cause);
    }

    public CloudMwException(ErrorCode code, RetryVerdict verdict, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.verdict = verdict;
    }

    public ErrorCode code() {
        return code;
    }

    public RetryVerdict verdict() {
        return verdict;
    }

    /** The class, the code, and the message: what a stack trace begins with. */
    @Override
    public String toString() {
        return getClass().getName() + ": " + code + ": " + getMessage();
    }
}
