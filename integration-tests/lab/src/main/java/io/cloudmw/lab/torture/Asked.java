package io.cloudmw.lab.torture;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.lab.torture.model.Span;
import java.util.Optional;

/**
 * What became of a call.
 *
 * @param answer or
 * @param failure one of them is there
 * @param message of the failure
 */
record Asked<T>(Optional<T> answer, Optional<ErrorCode> failure, String message, Span span) {
    boolean failedWith(ErrorCode code) {
        return failure.isPresent() && failure.get() == code;
    }
}
