package io.cloudmw.core.bulk;

import java.util.concurrent.CompletableFuture;

/** One connection of the bulk plane, after its handshake. Any thread may call. */
public interface BulkConnection extends AutoCloseable {
    /** The name the accepting side gave it. */
    String sessionId();

    /** What the peer calls itself, for logs. */
    String peer();

    /**
     * Opens a stream.
     *
     * @param request an encoded {@code Open} message
     * @param listener told what happens on it
     */
    BulkStream open(byte[] request, BulkStreamListener listener);

    /** Completes (normally) when the connection is closed, for whatever reason. */
    CompletableFuture<Void> closed();

    /** Closes the connection; its streams fail. Idempotent. */
    @Override
    void close();
}
