package io.cloudmw.core.bulk;

import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * One stream of a bulk connection: data in either direction, each under the credit its receiver grants.
 * Any thread may call; calls by one thread take effect in their order.
 */
public interface BulkStream {
    /** Lets the peer send {@code bytes} more bytes of data. */
    void grant(long bytes);

    /** Bytes of data that may be sent now without exceeding the peer's credit. */
    long credit();

    /**
     * Sends one data frame of 1 to {@link BulkFrames#MAX_DATA_BYTES} bytes. Takes over {@code payload} and releases
     * it, whatever happens.
     *
     * @param crc32c of the payload
     * @return completes when the frame left for the kernel; fails when the stream or connection is over
     * @throws IllegalStateException when the payload exceeds {@link #credit()}: a defect of the caller
     */
    CompletableFuture<Void> send(ByteBuf payload, int crc32c);

    /**
     * Sends one data frame straight from a file, without copying where the transport can. The channel must stay
     * open until the future is done.
     */
    CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c);

    /**
     * Says that no data follows from this side.
     *
     * @param trailer a small message for the peer, at most {@link BulkFrames#MAX_CONTROL_BYTES}
     */
    void end(byte[] trailer);

    /** Ends the stream in both directions at once; the connection goes on. Idempotent. */
    void reset(ErrorCode code, String message);

    /** The connection it belongs to. */
    BulkConnection connection();
}
