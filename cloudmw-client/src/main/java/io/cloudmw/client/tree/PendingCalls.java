package io.cloudmw.client.tree;

import io.cloudmw.client.rpc.CancellableFuture;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The client's calls that one run has under way, so that they can be cancelled together. Safe for any thread. */
@SuppressWarnings("CollectionUndefinedEquality") // the same future, not an equal one
final class PendingCalls {
    private final Set<CompletableFuture<?>> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean cancelled;

    /** Adds a call until its work has ended; after {@link #cancel} the call is cancelled. */
    <T> CompletableFuture<T> add(CompletableFuture<T> call) {
        calls.add(call);
        var unused = CancellableFuture.over(call).thenRun(() -> calls.remove(call));
        if (cancelled) {
            call.cancel(true);
        }
        return call;
    }

    /** Cancels all calls, and those that are added later. Idempotent. */
    void cancel() {
        cancelled = true;
        calls.forEach(call -> call.cancel(true));
    }

    /** Completes, without a failure, when the work of all calls known now has ended. */
    CompletableFuture<Void> over() {
        return CompletableFuture.allOf(
                calls.stream().map(CancellableFuture::over).toArray(CompletableFuture[]::new));
    }
}
