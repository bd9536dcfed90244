package io.cloudmw.core.bulk;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.bulk.frame.BulkFrames;
import io.cloudmw.core.error.CloudMwException;

/** One connection of the bulk plane, after its handshake. Any thread may call. */
public interface BulkConnection extends AutoCloseable {
    /** The name the accepting side gave it; hard to guess. */
    String sessionId();

    /** What the peer calls itself, for logs. */
    String peer();

    /** Whether the side that connected has said that only small requests go over it, for which somebody waits. */
    boolean isInteractive();

    /**
     * Opens a stream. Never throws: when the connection is over, or the peer's limit of streams is reached
     * ({@code OVERLOADED}), the listener's {@link BulkStreamListener#failed} is told, soon.
     *
     * @param request opaque here (an encoded {@code Open}), at most {@link BulkFrames#MAX_CONTROL_BYTES}
     * @param listener told what happens on it
     */
    BulkStream open(byte[] request, BulkStreamListener listener);

    /**
     * A request was sent or taken that is answered within moments, and followed by another: while such follow one another fast
     * enough, the event loop stays awake for what comes, as long as {@link BulkOptions#busyPoll} says. Costs nothing else.
     */
    void expect();

    /** Whether the connection is closed. */
    boolean isClosed();

    /**
     * Runs {@code action} once when the connection is closed, for whatever reason, on an event loop; at once and here
     * if it is closed already.
     *
     * @return forgets the action
     */
    @CanIgnoreReturnValue // most want to know as long as the connection lives
    Runnable onClosed(Runnable action);

    /** Closes the connection and tells the peer why: its streams fail with that, on both sides. Idempotent. */
    void close(CloudMwException reason);

    /** Closes the connection; its streams fail with {@code CANCELLED}. Idempotent. */
    @Override
    void close();
}
