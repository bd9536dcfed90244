package io.cloudmw.core.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.tls.TlsFailures;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.core.wire.VerdictWire;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mapping of failures on the control plane. A {@link CloudMwException} travels as the gRPC status of its code,
 * with the code's name in the trailer {@code cloudmw-error} and its message as the status's description.
 */
public final class RpcErrors {
    static final Metadata.Key<String> ERROR = Metadata.Key.of("cloudmw-error", Metadata.ASCII_STRING_MARSHALLER);

    /** The retry-after of {@code OVERLOADED}, in milliseconds. */
    public static final Metadata.Key<String> RETRY_AFTER =
            Metadata.Key.of("cloudmw-retry-after-millis", Metadata.ASCII_STRING_MARSHALLER);

    /** The retry verdict, when it is not the code's own. */
    static final Metadata.Key<String> RETRY_VERDICT =
            Metadata.Key.of("cloudmw-retry-verdict", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * The longest message in a header, where gRPC writes a byte that is no printable ASCII as three. Longer ones are
     * cut: headers beyond the caller's limit (8 KiB by default) would end its connection with all calls on it.
     */
    private static final int MAX_MESSAGE_BYTES = 4000;

    private static final Logger LOG = LoggerFactory.getLogger(RpcErrors.class);

    private RpcErrors() {}

    /**
     * The server's status for a failure. Anything but a {@link CloudMwException} or a gRPC status is a defect: it is
     * logged here, and the caller gets only {@code INTERNAL} and the exception's type.
     */
    public static StatusRuntimeException toStatus(Throwable failure) {
        StatusRuntimeException answer = toStatusUnlogged(failure);
        if (isDefect(failure)) {
            LOG.error("A request failed unexpectedly", failure);
        }
        return answer;
    }

    private static boolean isDefect(Throwable failure) {
        return !(failure instanceof CloudMwException)
                && !(failure instanceof StatusRuntimeException)
                && !(failure instanceof CancellationException);
    }

    /** Like {@link #toStatus}, for a server that logs the causes of its statuses: a defect is the status's cause. */
    static StatusRuntimeException toStatusUnlogged(Throwable failure) {
        if (failure instanceof CloudMwException known) {
            return status(known).asRuntimeException(trailers(known));
        }
        if (failure instanceof StatusRuntimeException status) {
            return status;
        }
        if (failure instanceof CancellationException) {
            return toStatusUnlogged(new CloudMwException(ErrorCode.CANCELLED, "the request was cancelled"));
        }
        CloudMwException defect = new CloudMwException(
                ErrorCode.INTERNAL,
                "unexpected " + failure.getClass().getSimpleName() + "; the server's log has the details",
                failure);
        return status(defect).asRuntimeException(trailers(defect));
    }

    /**
     * The exception for a failed call.
     *
     * @param unreachable the code for a server that could not be reached: {@code COORDINATOR_UNAVAILABLE} or {@code
     *     HELPER_UNAVAILABLE}
     * @param peer the server's name in the message
     */
    public static CloudMwException fromStatus(Throwable failure, ErrorCode unreachable, String peer) {
        Throwable cause = Reasons.unwrapped(failure);
        if (cause instanceof CloudMwException known) {
            return known;
        }
        if (cause instanceof StatusRuntimeException status) {
            return fromStatus(status.getStatus(), status.getTrailers(), cause, unreachable, peer);
        }
        if (cause instanceof StatusException status) {
            return fromStatus(status.getStatus(), status.getTrailers(), cause, unreachable, peer);
        }
        if (cause instanceof CancellationException) {
            return new CloudMwException(ErrorCode.CANCELLED, peer + ": the call was cancelled", cause);
        }
        return new CloudMwException(ErrorCode.INTERNAL, peer + ": " + cause, cause);
    }

    /** Returns whether a CloudMW server answered with the failure; otherwise the call failed on the way. */
    public static boolean isAnswer(CloudMwException failure) {
        Metadata trailers = failure.getCause() == null ? null : Status.trailersFromThrowable(failure.getCause());
        return trailers != null && trailers.containsKey(ERROR);
    }

    /** Returns whether the call failed because the server does not know its method: an older release, for example. */
    public static boolean isUnknownMethod(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StatusRuntimeException status
                    && status.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the call failed because no process listens at the peer's address. */
    public static boolean isRefusedConnection(CloudMwException failure) {
        Throwable cause =
                failure.getCause() instanceof StatusRuntimeException status ? innermost(status.getStatus()) : null;
        return cause instanceof ConnectException
                && String.valueOf(cause.getMessage()).contains("Connection refused");
    }

    private static CloudMwException fromStatus(
            Status status, @Nullable Metadata trailers, Throwable failure, ErrorCode unreachable, String peer) {
        Optional<ErrorCode> named = Optional.ofNullable(trailers)
                .map(metadata -> metadata.get(ERROR))
                .flatMap(RpcErrors::code);
        if (named.isPresent()) {
            String verdict = trailers == null ? null : trailers.get(RETRY_VERDICT);
            CloudMwException answer = new CloudMwException(
                    named.get(),
                    VerdictWire.verdict(named.get(), verdict == null ? "" : verdict),
                    text(status),
                    failure);
            return UrgencyWire.retriedAfter(answer, retryAfterMillis(trailers));
        }
        if (TlsFailures.isOne(status.getCause())) {
            return TlsFailures.of(peer, failure);
        }
        // gRPC calls UNKNOWN also what may be a connection that was closed under a call.
        boolean broken = status.getCode() == Status.Code.UNKNOWN && innermost(status) instanceof IOException;
        ErrorCode code = broken ? unreachable : unnamed(status.getCode(), unreachable);
        return new CloudMwException(code, peer + ": " + description(status), failure);
    }

    /** The retry-after; 0 when there is none or it is not a number. */
    private static long retryAfterMillis(@Nullable Metadata trailers) {
        String text = trailers == null ? null : trailers.get(RETRY_AFTER);
        return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }

    private static @Nullable Throwable innermost(Status status) {
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * The description of a status. gRPC says "io exception"; its innermost cause is the system's, which says
     * "Connection refused".
     */
    private static String description(Status status) {
        Throwable cause = innermost(status);
        if (cause == null || cause.getMessage() == null) {
            return text(status);
        }
        return cause instanceof IOException ? Reasons.of(cause) : text(status) + ": " + cause.getMessage();
    }

    private static String text(Status status) {
        return status.getDescription() == null ? status.getCode().toString() : status.getDescription();
    }

    /** The code for gRPC's own statuses, and for codes of a peer that this build does not know. */
    private static ErrorCode unnamed(Status.Code code, ErrorCode unreachable) {
        return switch (code) {
            case UNAVAILABLE -> unreachable;
            case CANCELLED -> ErrorCode.CANCELLED;
            case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
            case RESOURCE_EXHAUSTED -> ErrorCode.OVERLOADED;
            case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.UNAUTHENTICATED;
            case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
            case NOT_FOUND -> ErrorCode.NOT_FOUND;
            case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
            case ABORTED -> ErrorCode.CONFLICT;
            case UNIMPLEMENTED -> ErrorCode.VERSION_UNSUPPORTED;
            case OK, UNKNOWN, FAILED_PRECONDITION, INTERNAL, DATA_LOSS -> ErrorCode.INTERNAL;
        };
    }

    /** The code of this name; empty when this build does not know it. */
    public static Optional<ErrorCode> code(String name) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.name().equals(name)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }

    public static Status status(CloudMwException failure) {
        String message = failure.getMessage() == null ? failure.code().name() : failure.getMessage();
        return Status.fromCode(Status.Code.valueOf(failure.code().grpcStatus()))
                .withDescription(cut(message))
                .withCause(failure);
    }

    /** The beginning of a message that fits a header. */
    private static String cut(String message) {
        int bytes = 0;
        int at = 0;
        while (at < message.length()) {
            int character = message.codePointAt(at);
            bytes += headerBytes(character);
            if (bytes > MAX_MESSAGE_BYTES) {
                return message.substring(0, at);
            }
            at += Character.charCount(character);
        }
        return message;
    }

    private static int headerBytes(int character) {
        if (character >= ' ' && character <= '~' && character != '%') {
            return 1;
        }
        if (character < 0x80) {
            return 3;
        }
        return character < 0x800 ? 6 : character < 0x10000 ? 9 : 12;
    }

    public static Metadata trailers(CloudMwException failure) {
        Metadata trailers = new Metadata();
        trailers.put(ERROR, failure.code().name());
        if (!VerdictWire.text(failure).isEmpty()) {
            trailers.put(RETRY_VERDICT, VerdictWire.text(failure));
        }
        if (failure.retryAfter().isPresent()) {
            trailers.put(RETRY_AFTER, Long.toString(UrgencyWire.millis(failure.retryAfter())));
        }
        return trailers;
    }
}
