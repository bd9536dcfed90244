package io.cloudmw.client.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * A future whose cancellation stops the work behind it, also when a future derived from it (by {@code thenApply} and
 * the like) is cancelled. Cleaning up goes on for a moment after {@link #cancel} returned.
 */
public final class CancellableFuture<T> extends CompletableFuture<T> {
    private final Runnable canceller;

    /** @param canceller stops the work; must be quick and may be called more than once */
    public CancellableFuture(Runnable canceller) {
        this.canceller = canceller;
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
        return new CancellableFuture<>(() -> cancel(true));
    }
}
