package io.cloudmw.client.tree;

import io.cloudmw.client.rpc.CancellableFuture;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The client's calls that one run has under way, so that they can be ended together. Safe for any thread. */
@SuppressWarnings("CollectionUndefinedEquality") // the very same future is meant
final class PendingCalls {
    private final Set<CompletableFuture<?>> calls = ConcurrentHashMap.newKeySet();
    private volatile boolean cancelled;

    /** Knows of a call as long as anything of it goes on; one that comes too late is cancelled. */
    <T> CompletableFuture<T> add(CompletableFuture<T> call) {
        calls.add(call);
        var unused = CancellableFuture.over(call).thenRun(() -> calls.remove(call));
        if (cancelled) {
            call.cancel(true);
        }
        return call;
    }

    /** Cancels all calls, and those that are still to come. Idempotent. */
    void cancel() {
        cancelled = true;
        calls.forEach(call -> call.cancel(true));
    }

    /** Done, without a failure, when nothing goes on any more of the calls that are known now. */
    CompletableFuture<Void> over() {
        return CompletableFuture.allOf(
                calls.stream().map(CancellableFuture::over).toArray(CompletableFuture[]::new));
    }
}
