package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.util.Optional;
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

    /** The file has another version than the application's condition names, or is there although it must not be. */
    static CloudMwException otherVersion(FilePath file, Optional<VersionId> expected, Optional<VersionId> found) {
        return new CloudMwException(
                ErrorCode.CONFLICT,
                file + " is " + name(found) + " (expected: " + name(expected) + ")"
                        + (expected.isEmpty() ? ": it exists already" : ""));
    }

    private static String name(Optional<VersionId> version) {
        return version.map(id -> "version " + id).orElse("absent");
    }
}
