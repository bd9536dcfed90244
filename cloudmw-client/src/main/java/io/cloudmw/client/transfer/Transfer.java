package io.cloudmw.client.transfer;

import java.util.concurrent.CompletableFuture;

/** A get or a put under way; any thread may call. */
interface Transfer {
    void start();

    /** Stops it everywhere. Idempotent; nothing when it is over. */
    void cancel();

    /** Completes when it is over and has cleaned up. */
    CompletableFuture<Void> settled();
}
