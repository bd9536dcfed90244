package io.cloudmw.lab.torture;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.lab.torture.model.CallInterval;
import java.util.Optional;

/**
 * The outcome of a call: an answer or a failure.
 *
 * @param answer of a call that succeeded
 * @param failure the error code of a call that failed
 * @param message of the failure
 * @param span from the call to its end
 */
record CallOutcome<T>(Optional<T> answer, Optional<ErrorCode> failure, String message, CallInterval span) {
    boolean failedWith(ErrorCode code) {
        return failure.isPresent() && failure.get() == code;
    }

    /** The same outcome of a call that began earlier. */
    CallOutcome<T> since(long from) {
        return new CallOutcome<>(answer, failure, message, new CallInterval(from, span.to()));
    }
}
