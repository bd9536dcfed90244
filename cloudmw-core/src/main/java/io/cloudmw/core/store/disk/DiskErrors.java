package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.StoreId;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

/** The translation of the file system's failures. */
final class DiskErrors {
    private DiskErrors() {}

    static CloudMwException translate(StoreId store, String what, IOException e) {
        if (e instanceof CloudMwException already) {
            return already;
        }
        ErrorCode code = code(e);
        String reason = code == ErrorCode.CANCELLED ? "cancelled" : Reasons.of(e);
        return new CloudMwException(code, what + " store=" + store + ": " + reason, e);
    }

    private static ErrorCode code(IOException e) {
        if (e instanceof ClosedByInterruptException || e instanceof ClosedChannelException) {
            return ErrorCode.CANCELLED;
        }
        if (e instanceof AccessDeniedException || mentions(e, "Read-only file system")) {
            return ErrorCode.STORE_DENIED;
        }
        if (mentions(e, "No space left on device") || mentions(e, "Disk quota exceeded")) {
            return ErrorCode.STORE_FULL;
        }
        return ErrorCode.STORE_UNAVAILABLE;
    }

    private static boolean mentions(IOException e, String reason) {
        String text = e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.getMessage();
        return text != null && text.contains(reason);
    }
}
