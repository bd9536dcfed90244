package io.cloudmw.client.context;

import java.util.concurrent.CompletableFuture;

/** A running operation of the client that can be cancelled: a get, put, edit or warm-up. Safe for any thread. */
interface Transfer {
    void start();

    /** Cancels the operation everywhere. Idempotent; no effect when it is over. */
    void cancel();

    /**
     * Sets a task that runs once, when the transfer is over and has cleaned up, before {@link #settled} completes.
     * Called before {@link #start} and {@link #cancel}.
     */
    void beforeSettled(Runnable task);

    /** Completes when the transfer is over and has cleaned up. */
    CompletableFuture<Void> settled();
}
