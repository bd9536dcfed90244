package io.cloudmw.core.bulk.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * The allocator that makes the socket read into the {@link FrameReader}'s buffers. It works only when the reader's
 * handler is the first of the pipeline; behind another handler (TLS) the reader copies instead. Confined to the event
 * loop.
 */
@SuppressWarnings("deprecation") // Handle, of which ExtendedHandle is the current form
public final class ReceiveBuffers implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
    /** The most reads before other connections have their turn. */
    private static final int MAX_READS = 32;

    private final FrameReader reader;
    private int reads;
    private int lastBytesRead;
    private int attemptedBytesRead;

    public ReceiveBuffers(FrameReader reader) {
        this.reader = reader;
    }

    @Override
    public ExtendedHandle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        return reader.target();
    }

    @Override
    public int guess() {
        return FrameLimits.MAX_DATA_BYTES;
    }

    @Override
    public void reset(ChannelConfig config) {
        reads = 0;
    }

    @Override
    public void incMessagesRead(int messages) {
        reads += messages;
    }

    @Override
    public void lastBytesRead(int bytes) {
        lastBytesRead = bytes;
    }

    @Override
    public int lastBytesRead() {
        return lastBytesRead;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attemptedBytesRead = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attemptedBytesRead;
    }

    @Override
    public boolean continueReading() {
        return reads < MAX_READS && lastBytesRead > 0 && lastBytesRead == attemptedBytesRead;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return reads < MAX_READS && lastBytesRead > 0 && maybeMoreData.get();
    }

    @Override
    public void readComplete() {}
}
