package io.cloudmw.connector;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Blocking waits for the calls of a client. */
public final class CallResults {
    private CallResults() {}

    /**
     * Waits for a call.
     *
     * @throws IOException the failure of the call
     * @throws InterruptedIOException when this thread is interrupted; the call is cancelled, and the thread stays
     *     interrupted
     */
    public static <T> T await(CompletableFuture<T> call) throws IOException {
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw known(e);
        } catch (CancellationException e) {
            throw new CloudMwException(ErrorCode.CANCELLED, "cancelled", e);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** Waits for a call; empty when it fails with {@code NOT_FOUND}. */
    public static <T> Optional<T> find(CompletableFuture<T> call) throws IOException {
        try {
            return Optional.of(await(call));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static IOException known(ExecutionException failure) {
        Throwable cause = Reasons.unwrapped(failure);
        return cause instanceof IOException known
                ? known
                : new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + cause, cause);
    }
}
