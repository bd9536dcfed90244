package io.cloudmw.coordinator.rpc.audit;

import io.cloudmw.core.audit.AuditText;
import io.cloudmw.core.audit.LineAllowance;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * A rate-limited log of failed calls, one line each; a defect gets its stack trace. Each method and code has its own
 * limit, so that a flood of failures does not fill the disk. The next line says how many were suppressed. Safe for any
 * thread.
 */
final class FailureLog {
    private static final int MAX_MESSAGE_CHARACTERS = 500;

    private final Logger log;
    private final Ticker ticker;

    /** The limits, one for each method and code. */
    private final Map<Kind, LineAllowance> allowances = new ConcurrentHashMap<>();

    private record Kind(String method, ErrorCode code) {}

    FailureLog(Logger log, Ticker ticker) {
        this.log = log;
        this.ticker = ticker;
    }

    /**
     * Logs a failed call.
     *
     * @param request the text of the request; empty: not known
     * @param cause of a defect, logged with its stack trace
     */
    void failed(String method, String request, Caller caller, CloudMwException failure, @Nullable Throwable cause) {
        ErrorCode code = failure.code();
        if (code == ErrorCode.CANCELLED) {
            return;
        }
        OptionalLong leftOut = allowances
                .computeIfAbsent(new Kind(method, code), kind -> new LineAllowance(ticker.nanos()))
                .take(ticker.nanos());
        if (leftOut.isEmpty()) {
            return;
        }
        String more = leftOut.getAsLong() == 0 ? "" : " (" + leftOut.getAsLong() + " like it were not logged)";
        String asked = request.isEmpty() ? "" : " " + request;
        String why = AuditText.plain(String.valueOf(failure.getMessage()), MAX_MESSAGE_CHARACTERS);
        log.atLevel(level(code))
                .setCause(code == ErrorCode.INTERNAL ? cause : null)
                .log("{} {} by {}{}: {}{}", code, method, caller, asked, why, more);
    }

    /** Returns the level of a failure; an error that the caller can correct is not a warning. */
    private static Level level(ErrorCode code) {
        return switch (code) {
            case INTERNAL, PROTOCOL_VIOLATION -> Level.ERROR;
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    VOLUME_NOT_FOUND,
                    HELPER_UNKNOWN,
                    ALREADY_EXISTS,
                    VOLUME_NOT_EMPTY,
                    NOT_EMPTY,
                    STORE_IN_USE,
                    CONFLICT,
                    LOCK_LOST,
                    CANCELLED -> Level.INFO;
            default -> Level.WARN;
        };
    }
}
