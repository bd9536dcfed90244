package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.util.concurrent.CancellationException;

/** Makes one exception of whatever a future failed with. */
final class Failures {
    private Failures() {}

    static CloudMwException of(Throwable failure) {
        Throwable cause = Reasons.unwrapped(failure);
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
