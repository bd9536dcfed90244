package io.cloudmw.core.bulk;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.error.CloudMwException;

/** The handler of streams that a peer opens. Called on event loops: it must not block. */
public interface BulkHandler {
    /**
     * Handles a stream that the peer opened. The stream may be used at once; its listener is called only after this
     * method has returned.
     *
     * @return called with the stream's events
     * @throws CloudMwException to reset the stream at once with this code and message
     */
    BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException;

    /** Handles an accepted connection after its handshake. */
    default void connected(BulkConnection connection) {}

    /** Hears of a connection that was refused in its handshake, because of the peer's certificate or its lack of one. */
    default void refused(AuditedPeer peer, CloudMwException why) {}
}
