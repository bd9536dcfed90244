package io.cloudmw.core.bulk;

import java.util.concurrent.CompletableFuture;

/** One connection of the bulk plane, after its handshake. Any thread may call. */
public interface BulkConnection extends AutoCloseable {
    /** The name the accepting side gave it; hard to guess. */
    String sessionId();

    /** What the peer calls itself, for logs. */
    String peer();

    /**
     * Opens a stream. Never throws: when the connection is over, or the peer's limit of streams is reached
     * ({@code OVERLOADED}), the listener's {@link BulkStreamListener#failed} is told, soon.
     *
     * @param request opaque here (an encoded {@code Open}), at most {@link BulkFrames#MAX_CONTROL_BYTES}
     * @param listener told what happens on it
     */
    BulkStream open(byte[] request, BulkStreamListener listener);

    /** Whether the connection is closed. */
    boolean isClosed();

    /**
     * Runs {@code action} once when the connection is closed, at once if it is already. Unlike a stage of
     * {@link #closed()}, which lives as long as the connection, this can be forgotten.
     *
     * @return forgets the action
     */
    Runnable onClosed(Runnable action);

    /** Completes (normally) when the connection is closed, for whatever reason. */
    CompletableFuture<Void> closed();

    /** Closes the connection; its streams fail with {@code CANCELLED}. Idempotent. */
    @Override
    void close();
}
