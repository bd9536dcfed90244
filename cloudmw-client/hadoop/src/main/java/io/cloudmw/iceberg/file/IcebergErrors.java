package io.cloudmw.iceberg.file;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;

/** Iceberg's exceptions for the failures of calls. */
public final class IcebergErrors {
    private IcebergErrors() {}

    /** Returns the unchecked exception for a failure. */
    public static RuntimeException unchecked(Object location, IOException failure) {
        if (failure instanceof NoSuchFileException || isOf(failure, ErrorCode.NOT_FOUND, ErrorCode.VOLUME_NOT_FOUND)) {
            return new NotFoundException(failure, "%s: does not exist: %s", location, failure.getMessage());
        }
        if (failure instanceof FileAlreadyExistsException
                || isOf(failure, ErrorCode.ALREADY_EXISTS, ErrorCode.ALREADY_EXISTS)) {
            return exists(location, failure);
        }
        return new RuntimeIOException(failure, "%s: %s", location, failure.getMessage());
    }

    /** Returns the exception for a file that exists already. */
    static AlreadyExistsException exists(Object location, IOException failure) {
        return new AlreadyExistsException(failure, "%s: exists already: %s", location, failure.getMessage());
    }

    private static boolean isOf(IOException failure, ErrorCode code, ErrorCode other) {
        return failure instanceof CloudMwException known && (known.code() == code || known.code() == other);
    }

    /** Returns the exception for a failure of a stream that is open. */
    static IOException ofStream(Object location, IOException failure) {
        boolean cancelled = isOf(failure, ErrorCode.CANCELLED, ErrorCode.CANCELLED);
        if (failure instanceof ClosedByInterruptException
                || (cancelled && Thread.currentThread().isInterrupted())) {
            InterruptedIOException interrupted = new InterruptedIOException(location + ": interrupted");
            interrupted.initCause(failure);
            return interrupted;
        }
        return failure instanceof InterruptedIOException || failure.getMessage() != null
                ? failure
                : new IOException(location + ": " + failure, failure);
    }
}
