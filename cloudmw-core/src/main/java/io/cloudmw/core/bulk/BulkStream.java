package io.cloudmw.core.bulk;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * A stream of a bulk connection: data in both directions, each under the credit its receiver grants. Any thread may
 * call; frames leave in the order of the calls. A stream is over when both sides have ended it or one has reset it.
 * Later calls have no effect, except that sends fail.
 */
public interface BulkStream {
    /** Lets the peer send {@code bytes} more bytes of data. */
    void grant(long bytes);

    /**
     * The bytes that may be sent now: the peer's credit, less what would overfill this stream's queue ({@link
     * BulkOptions#streamQueueBytes()}). {@link BulkStreamListener#granted} is called when it has grown.
     */
    long credit();

    /**
     * Sends one data frame of 1 to {@link FrameLimits#MAX_DATA_BYTES} bytes. Takes ownership of {@code payload} and
     * releases it in every case.
     *
     * @param crc32c of the payload
     * @return completes, on the event loop, when the kernel has taken the frame; fails with a {@code CloudMwException}
     *     when the stream or connection is over
     * @throws IllegalStateException when the payload exceeds {@link #credit()} or {@link #end} was called: a defect of
     *     the caller
     */
    @CanIgnoreReturnValue // the listener is told when the stream is over
    CompletableFuture<Void> send(ByteBuf payload, int crc32c);

    /**
     * Sends one data frame straight from a file, without copying where the transport can. The channel must stay open
     * until the future completes; the stream does not close it. The range must lie within the file: otherwise the
     * future and the stream fail with {@code STORE_UNAVAILABLE}, on both sides.
     */
    @CanIgnoreReturnValue // the listener is told when the stream is over
    CompletableFuture<Void> send(FileChannel file, long position, int length, int crc32c);

    /**
     * Ends this side: no data follows.
     *
     * @param trailer a small message for the peer, at most {@link FrameLimits#MAX_CONTROL_BYTES}
     */
    void end(byte[] trailer);

    /**
     * Resets the stream in both directions at once and drops its queue; the connection goes on. The peer's listener
     * gets the code, message and retry-after; this side's listener is not called again. Idempotent.
     */
    void reset(CloudMwException why);

    /** Resets the stream without a retry-after. */
    default void reset(ErrorCode code, String message) {
        reset(new CloudMwException(code, message));
    }

    /** The connection it belongs to. */
    BulkConnection connection();
}
