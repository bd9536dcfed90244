package io.cloudmw.client.context;

import java.util.concurrent.CompletableFuture;

/** A running operation of the client that can be cancelled: a get, put, edit or warm-up. Safe for any thread. */
interface Transfer {
    void start();

    /** Stops it everywhere. Idempotent; nothing when it is over. */
    void cancel();

    /** Completes when it is over and has cleaned up. */
    CompletableFuture<Void> settled();
}
