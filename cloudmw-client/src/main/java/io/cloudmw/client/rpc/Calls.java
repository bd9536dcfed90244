package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Blocking waits for the results of calls. Not for event loops. */
public final class Calls {
    private Calls() {}

    /**
     * Waits for the result of a future.
     *
     * @throws CloudMwException the future's failure; {@code CANCELLED} when the future was cancelled, or when this
     *     thread is interrupted, which cancels the future; {@code INTERNAL} after a defect
     */
    public static <T> T await(CompletableFuture<T> future) throws CloudMwException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof CloudMwException known) {
                throw known;
            }
            throw new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + cause, cause);
        } catch (CancellationException e) {
            throw new CloudMwException(ErrorCode.CANCELLED, "cancelled", e);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    /** Waits for the result of a future; empty when the future fails with {@code absent}. */
    public static <T> Optional<T> find(CompletableFuture<T> future, ErrorCode absent) throws CloudMwException {
        try {
            return Optional.of(await(future));
        } catch (CloudMwException e) {
            if (e.code() == absent) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
