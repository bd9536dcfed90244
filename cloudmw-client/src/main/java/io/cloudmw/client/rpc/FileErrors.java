package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/** The JDK's exceptions for failures of calls about files and directories. */
public final class FileErrors {
    private FileErrors() {}

    /**
     * Returns the JDK's exception for a failure that has one, with the failure as its cause; otherwise the failure
     * itself.
     *
     * @param path as the application named it
     */
    public static IOException of(String path, CloudMwException failure) {
        return switch (failure.code()) {
            case NOT_FOUND, VOLUME_NOT_FOUND ->
                caused(new NoSuchFileException(path, null, failure.getMessage()), failure);
            case ALREADY_EXISTS -> exists(path, failure);
            case NOT_EMPTY -> caused(new DirectoryNotEmptyException(path), failure);
            default -> failure;
        };
    }

    /** Returns the exception for a file that exists already. */
    public static IOException exists(String path, CloudMwException failure) {
        return caused(new FileAlreadyExistsException(path, null, failure.getMessage()), failure);
    }

    private static IOException caused(IOException exception, CloudMwException cause) {
        exception.initCause(cause);
        return exception;
    }
}
