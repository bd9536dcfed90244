package io.cloudmw.hadoop.volume;

import io.cloudmw.core.error.CloudMwException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/** Hadoop's exceptions for the failures of calls. */
public final class HadoopErrors {
    private HadoopErrors() {}

    /** An operation of the client's streams and channels, which throw the exceptions of the JDK. */
    @FunctionalInterface
    public interface Operation<T> {
        T run() throws IOException;
    }

    /**
     * Waits for a call.
     *
     * @param path named in failures
     * @throws InterruptedIOException when this thread is interrupted; the call is cancelled, and the thread stays
     *     interrupted
     */
    public static <T> T await(Object path, CompletableFuture<T> call) throws IOException {
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw of(path, e.getCause() == null ? e : e.getCause());
        } catch (CancellationException e) {
            throw of(path, e);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw interrupted(path, e);
        }
    }

    /** Runs an operation, and translates its failure. */
    public static <T> T translating(Object path, Operation<T> operation) throws IOException {
        try {
            return operation.run();
        } catch (IOException e) {
            throw of(path, e);
        }
    }

    private static InterruptedIOException interrupted(Object path, Throwable cause) {
        InterruptedIOException exception = new InterruptedIOException(path + ": interrupted");
        exception.initCause(cause);
        return exception;
    }

    /** Returns Hadoop's exception for a failure. */
    public static IOException of(Object path, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof CloudMwException known) {
            return ofCode(path, known);
        }
        if (cause instanceof NoSuchFileException) {
            return caused(new FileNotFoundException("File does not exist: " + path), cause);
        }
        if (cause instanceof java.nio.file.FileAlreadyExistsException) {
            return caused(new FileAlreadyExistsException(path + ": exists already"), cause);
        }
        if (cause instanceof ClosedByInterruptException) {
            return interrupted(path, cause);
        }
        if (cause instanceof ClosedChannelException) {
            return caused(new PathIOException(path.toString(), FSExceptionMessages.STREAM_IS_CLOSED), cause);
        }
        if (cause instanceof IOException known) {
            return known;
        }
        return new PathIOException(path.toString(), cause);
    }

    private static IOException ofCode(Object path, CloudMwException failure) {
        return switch (failure.code()) {
            case NOT_FOUND, VOLUME_NOT_FOUND ->
                caused(
                        new FileNotFoundException("File does not exist: " + path + ": " + failure.getMessage()),
                        failure);
            case ALREADY_EXISTS -> caused(new FileAlreadyExistsException(path + ": " + failure.getMessage()), failure);
            case NOT_EMPTY -> caused(new PathIsNotEmptyDirectoryException(path.toString()), failure);
            case CANCELLED ->
                Thread.currentThread().isInterrupted()
                        ? interrupted(path, failure)
                        : new PathIOException(path.toString(), failure);
            default -> new PathIOException(path.toString(), failure);
        };
    }

    private static IOException caused(IOException exception, Throwable cause) {
        exception.initCause(cause);
        return exception;
    }
}
