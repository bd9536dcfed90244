package io.cloudmw.client.backup;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for what the client does. */
final class Calls {
    private Calls() {}

    static <T> T await(CompletableFuture<T> future) throws CloudMwException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CloudMwException known) {
                throw known;
            }
            throw new CloudMwException(ErrorCode.INTERNAL, "unexpected: " + e.getCause(), e);
        } catch (CancellationException e) {
            throw new CloudMwException(ErrorCode.CANCELLED, "cancelled", e);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    /** Empty where it fails with {@code absent}. */
    static <T> Optional<T> find(CompletableFuture<T> future, ErrorCode absent) throws CloudMwException {
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
