package io.cloudmw.client.context;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** Factories of the exceptions with which transfers fail. */
public final class Failures {
    private Failures() {}

    /** Converts any failure of a future into one exception of the project. */
    public static CloudMwException of(Throwable failure) {
        Throwable cause = Reasons.unwrapped(failure);
        if (cause instanceof CloudMwException known) {
            return known;
        }
        if (cause instanceof CancellationException) {
            return new CloudMwException(ErrorCode.CANCELLED, "cancelled", cause);
        }
        return new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + cause, cause);
    }

    /** A failure of another process that broke the protocol. */
    public static CloudMwException violation(String message) {
        return new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, message);
    }

    /**
     * The failure of a condition: the file has another version than the application expects, or exists although it must
     * not.
     */
    public static CloudMwException otherVersion(
            FilePath file, Optional<VersionId> expected, Optional<VersionId> found) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                file + " is " + VersionId.describe(found) + " (expected: " + VersionId.describe(expected) + ")"
                        + (expected.isEmpty() ? ": it exists already" : ""));
    }

    /** Returns whether a commit that failed with this code may have succeeded: its answer was lost or timed out. */
    public static boolean mayBeCommitted(ErrorCode code) {
        return switch (code) {
            case CANCELLED, COORDINATOR_UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED, INTERNAL, PROTOCOL_VIOLATION ->
                true;
            default -> false;
        };
    }

    /** The failure of a commit that may have succeeded. */
    public static CloudMwException uncertain(CloudMwException cause, VersionId version) {
        return explained(cause, "; it may have been committed all the same, as version " + version);
    }

    /** The same failure, with more text. */
    public static CloudMwException explained(CloudMwException cause, String more) {
        CloudMwException why =
                new CloudMwException(cause.code(), cause.verdict(), cause.getMessage() + more, cause.getCause());
        why.addSuppressed(cause);
        return why;
    }

    /** The failure of a call to a client that was closed. */
    public static CloudMwException clientClosed() {
        return new CloudMwException(ErrorCode.CANCELLED, "the client was closed");
    }
}
