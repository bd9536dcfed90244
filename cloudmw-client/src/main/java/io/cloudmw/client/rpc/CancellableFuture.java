package io.cloudmw.client.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * A future whose cancellation stops the work behind it, also when a derived future (by {@code thenApply} and the like)
 * is cancelled. The work may clean up for a moment after {@link #cancel} returned.
 */
public final class CancellableFuture<T> extends CompletableFuture<T> {
    private final Runnable canceller;
    private final CompletableFuture<Void> work;

    /**
     * @param canceller stops the work, which leaves nothing to clean up; must be quick and may be called more than once
     */
    public CancellableFuture(Runnable canceller) {
        this(canceller, CompletableFuture.completedFuture(null));
    }

    /**
     * A future of work that cleans up after it was stopped.
     *
     * @param canceller stops the work; must be quick and may be called more than once
     * @param work completes when the work has ended and cleaned up
     */
    public CancellableFuture(Runnable canceller, CompletableFuture<Void> work) {
        this.canceller = canceller;
        this.work = work;
    }

    /**
     * Completes, without a failure, once the future is done and the work behind it has ended, even after a
     * cancellation.
     */
    public static CompletableFuture<Void> over(CompletableFuture<?> future) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        var unused = future.whenComplete((value, failure) -> done.complete(null));
        return future instanceof CancellableFuture<?> known ? CompletableFuture.allOf(done, known.work) : done;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            canceller.run();
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CancellableFuture<>(() -> cancel(true), work);
    }
}
