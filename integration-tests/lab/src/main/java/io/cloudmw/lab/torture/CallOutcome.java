package io.cloudmw.lab.torture;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.lab.torture.model.CallInterval;
import java.util.Optional;

/**
 * The outcome of a call.
 *
 * @param answer or
 * @param failure one of them is there
 * @param message of the failure
 */
record CallOutcome<T>(Optional<T> answer, Optional<ErrorCode> failure, String message, CallInterval span) {
    boolean failedWith(ErrorCode code) {
        return failure.isPresent() && failure.get() == code;
    }
}
