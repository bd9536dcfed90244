package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/**
 * The listener of a stream's events, called on the connection's event loop: it must not block. A runtime exception
 * thrown here resets the stream with {@code INTERNAL}.
 */
public interface BulkStreamListener {
    /**
     * A whole data frame whose CRC32C was verified. The listener takes ownership of {@code payload} and releases it.
     */
    void data(ByteBuf payload, int crc32c);

    /** The peer sends no more data. */
    void ended(byte[] trailer);

    /** {@link BulkStream#credit()} has grown: the peer granted more, or the full queue has drained. */
    void granted();

    /**
     * The stream is over before both sides ended it: the peer reset it (with its code) or a payload did not match its
     * checksum ({@code REPLICA_CORRUPT}; the peer gets it too). Or its connection broke ({@code HELPER_UNAVAILABLE},
     * {@code PROTOCOL_VIOLATION}) or was closed here ({@code CANCELLED}). Called at most once, and no other method is
     * called after it.
     */
    void failed(CloudMwException cause);

    /**
     * Called instead of {@link #failed} for a payload whose checksum failed here. A listener overrides it to tell such
     * a payload from a peer's reset with the same code.
     */
    default void damaged(CloudMwException cause) {
        failed(cause);
    }
}
