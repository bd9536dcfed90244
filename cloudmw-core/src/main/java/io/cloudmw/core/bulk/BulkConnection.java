package io.cloudmw.core.bulk;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.Optional;

/** A connection of the bulk plane, after its handshake. Any thread may call. */
public interface BulkConnection extends AutoCloseable {
    /** The session id that the accepting side drew; hard to guess. */
    String sessionId();

    /** The name of the peer's process, for logs. */
    String peer();

    /** The peer in its verified certificate; empty on a connection in plain text. */
    Optional<ProcessIdentity> peerIdentity();

    /** The peer as the audit trail names it. */
    AuditedPeer auditedPeer();

    /** Returns whether the connecting side reserved the connection for small requests that a caller waits for. */
    boolean isInteractive();

    /**
     * Opens a stream. Never throws: when the connection is over, or the peer's limit of streams is reached ({@code
     * OVERLOADED}), the listener's {@link BulkStreamListener#failed} is called soon.
     *
     * @param request opaque here (an encoded {@code Open}), at most {@link FrameLimits#MAX_CONTROL_BYTES}
     * @param listener called with the stream's events
     */
    BulkStream open(byte[] request, BulkStreamListener listener);

    /**
     * Announces that a small request was sent or received and that more follow within moments. While such requests
     * follow one another fast, the event loop busy-polls for up to {@link BulkOptions#busyPoll} after each. Costs
     * nothing else.
     */
    void expect();

    /**
     * Returns whether the connection has reached its age, which TLS limits so that new certificates are shown. The side
     * that connected begins nothing new on it. Once it has no stream and nothing holds it for some seconds, it closes.
     */
    boolean isOld();

    /** Keeps an old connection open, also while it has no stream, until {@link #release} is called as often as this. */
    void hold();

    /** Ends a {@link #hold}. */
    void release();

    /** Returns whether the connection is closed. */
    boolean isClosed();

    /**
     * Runs {@code action} once when the connection is closed, for whatever reason, on an event loop. A connection that
     * is closed already runs it at once, on the calling thread.
     *
     * @return removes the action
     */
    @CanIgnoreReturnValue // most want to know as long as the connection lives
    Runnable onClosed(Runnable action);

    /** Closes the connection and sends the peer the reason: streams on both sides fail with it. Idempotent. */
    void close(CloudMwException reason);

    /** Closes the connection; its streams fail with {@code CANCELLED}. Idempotent. */
    @Override
    void close();
}
