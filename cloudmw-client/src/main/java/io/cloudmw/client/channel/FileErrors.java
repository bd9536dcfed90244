package io.cloudmw.client.channel;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/** The JDK's exceptions for failures of files. */
final class FileErrors {
    private FileErrors() {}

    /** The JDK's exception for a failure that has one, with the failure as its cause; otherwise the failure itself. */
    static IOException of(FilePath file, CloudMwException failure) {
        return switch (failure.code()) {
            case NOT_FOUND, VOLUME_NOT_FOUND ->
                caused(new NoSuchFileException(file.toString(), null, failure.getMessage()), failure);
            case ALREADY_EXISTS -> exists(file, failure);
            default -> failure;
        };
    }

    /** The exception for a file that is there already. */
    static IOException exists(FilePath file, CloudMwException failure) {
        return caused(new FileAlreadyExistsException(file.toString(), null, failure.getMessage()), failure);
    }

    private static IOException caused(IOException exception, CloudMwException cause) {
        exception.initCause(cause);
        return exception;
    }
}
