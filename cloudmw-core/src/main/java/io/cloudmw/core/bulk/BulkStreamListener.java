package io.cloudmw.core.bulk;

import io.cloudmw.core.error.CloudMwException;
import io.netty.buffer.ByteBuf;

/** Told what happens on a stream, on the connection's event loop: it must not block. */
public interface BulkStreamListener {
    /** One data frame, whole, its CRC32C verified. The listener takes over {@code payload} and releases it. */
    void data(ByteBuf payload, int crc32c);

    /** The peer sends no more data. */
    void ended(byte[] trailer);

    /** The peer granted more credit; {@link BulkStream#credit()} has the sum. */
    void granted();

    /**
     * The stream is over before both sides ended: reset by the peer, or the connection broke. Called at most once,
     * and nothing is called after it.
     */
    void failed(CloudMwException cause);
}
