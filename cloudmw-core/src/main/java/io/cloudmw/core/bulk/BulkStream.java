package io.cloudmw.core.bulk;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.bulk.frame.BulkFrames;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * One stream of a bulk connection: data in either direction, each under the credit its receiver grants.
 * Any thread may call; frames go out in the order of the calls. It is over when both sides have ended or one has
 * reset it; calls after that have no effect, except that sends fail.
 */
public interface BulkStream {
    /** Lets the peer send {@code bytes} more bytes of data. */
    void grant(long bytes);

    /**
     * Bytes of data that may be sent now: the peer's credit, less what would overfill this stream's queue
     * ({@link BulkOptions#streamQueueBytes()}). {@link BulkStreamListener#granted} tells when it has grown.
     */
    long credit();

    /**
     * Sends one data frame of 1 to {@link BulkFrames#MAX_DATA_BYTES} bytes. Takes over {@code payload} and releases
     * it, whatever happens.
     *
     * @param crc32c of the payload
     * @return completes, on the event loop, when the frame left for the kernel; fails with a
     *     {@code CloudMwException} when the stream or connection is over
     * @throws IllegalStateException when the payload exceeds {@link #credit()} or {@link #end} was called: a defect
     *     of the caller
     */
    @CanIgnoreReturnValue // the listener is told when the stream is over
    CompletableFuture<Void> send(ByteBuf payload, int crc32c);

    /**
     * Sends one data frame straight from a file, without copying where the transport can. The channel must stay
     * open until the future is done; it is not closed here. The range must lie within the file: otherwise the
     * future fails with {@code STORE_UNAVAILABLE} and so does the stream, on both sides.
     */
    @CanIgnoreReturnValue // the listener is told when the stream is over
    CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c);

    /**
     * Says that no data follows from this side.
     *
     * @param trailer a small message for the peer, at most {@link BulkFrames#MAX_CONTROL_BYTES}
     */
    void end(byte[] trailer);

    /**
     * Ends the stream in both directions at once; the connection goes on. What is queued is dropped. The peer's
     * listener is told code, message, and when to try again; this side's listener is told nothing more. Idempotent.
     */
    void reset(CloudMwException why);

    /** The same, where nobody knows when to try again. */
    default void reset(ErrorCode code, String message) {
        reset(new CloudMwException(code, message));
    }

    /** The connection it belongs to. */
    BulkConnection connection();
}
