package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/**
 * Told what happens on a stream, on the connection's event loop: it must not block. A runtime exception thrown here
 * resets the stream with {@code INTERNAL}.
 */
public interface BulkStreamListener {
    /** One data frame, whole, its CRC32C verified. The listener takes over {@code payload} and releases it. */
    void data(ByteBuf payload, int crc32c);

    /** The peer sends no more data. */
    void ended(byte[] trailer);

    /** {@link BulkStream#credit()} has grown: the peer granted more, or the queue it filled has drained. */
    void granted();

    /**
     * The stream is over before both sides ended: reset by the peer (with its code), a payload did not match its
     * checksum ({@code REPLICA_CORRUPT}; the peer is told too), or the connection broke ({@code HELPER_UNAVAILABLE},
     * {@code PROTOCOL_VIOLATION}) or was closed here ({@code CANCELLED}). Called at most once, and nothing is called
     * after it.
     */
    void failed(CloudMwException cause);

    /**
     * Called instead of {@link #failed} for a payload that did not match its checksum here: for who has to tell that from a
     * peer that resets the stream with the same code.
     */
    default void damaged(CloudMwException cause) {
        failed(cause);
    }
}
