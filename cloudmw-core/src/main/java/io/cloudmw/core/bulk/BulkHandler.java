package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;

/** What one side does with streams the peer opens. Called on event loops: it must not block. */
public interface BulkHandler {
    /**
     * The peer opened a stream. It may be used at once; its listener is told of what comes after this returns.
     *
     * @return told what happens on it
     * @throws CloudMwException to reset the stream at once with this code and message
     */
    BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException;

    /** An accepted connection has shaken hands. */
    default void connected(BulkConnection connection) {}
}
