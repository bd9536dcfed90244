package io.cloudmw.client.pack;

import io.cloudmw.client.context.Failures;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A caller's future of work that may be shared with other callers. Cancelling it lets the work go on for the others;
 * work that has no caller left is cancelled. Safe for any thread.
 */
final class SharedCall<T> {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CancellableFuture<T> result = new CancellableFuture<>(() -> {}, ended);

    /** The caller's future. */
    CancellableFuture<T> result() {
        return result;
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Runs a task when the work is over, which may be after a cancellation. */
    void whenEnded(Runnable task) {
        var unused = ended.thenRun(task);
    }

    /** The work is over, with this result. */
    void complete(T value) {
        result.complete(value);
        ended.complete(null);
    }

    /** The work is over, or was never begun. */
    void fail(Throwable cause) {
        result.completeExceptionally(Failures.of(cause));
        ended.complete(null);
    }

    /** The work for a caller who has gone is over. */
    void end() {
        ended.complete(null);
    }

    /**
     * Follows work for its callers, and cancels it when none of them waits any more.
     *
     * @return the result of the work, once it has cleaned up, too
     */
    static <R> CompletableFuture<R> follow(List<? extends SharedCall<?>> callers, CompletableFuture<R> work) {
        AtomicInteger left = new AtomicInteger(callers.size());
        for (SharedCall<?> caller : callers) {
            var unused = caller.result.whenComplete((value, failure) -> {
                if (left.decrementAndGet() == 0) {
                    work.cancel(true);
                }
            });
        }
        return CancellableFuture.over(work).thenCompose(over -> work);
    }

    /** Does work for this caller alone once a slot is free, unless the caller has gone by then. */
    <R> void runAlone(CallSlots slots, Supplier<CompletableFuture<R>> work, Function<R, T> value) {
        var unused = slots.run(() -> isDone() ? gone() : follow(List.of(this), work.get()))
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        complete(value.apply(answer));
                    } else {
                        fail(failure);
                    }
                });
    }

    private static <R> CompletableFuture<R> gone() {
        return CompletableFuture.failedFuture(new CloudMwException(ErrorCode.CANCELLED, "cancelled"));
    }
}
