package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Makes one exception of whatever a future failed with. */
final class Failures {
    private Failures() {}

    static CloudMwException of(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof CloudMwException known) {
            return known;
        }
        if (cause instanceof CancellationException) {
            return new CloudMwException(ErrorCode.CANCELLED, "cancelled", cause);
        }
        return new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + cause, cause);
    }

    static CloudMwException violation(String message) {
        return new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, message);
    }
}
