package io.cloudmw.core.bulk.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The reader that turns bytes into frames. It collects a payload in one buffer of exactly its size. The socket can
 * read straight into that buffer ({@link #target}), so that a large payload is never copied here. Confined to the
 * event loop; owns its buffers until {@link #close}.
 */
public final class FrameReader {
    /** The size of the buffer for a header: small, because payload bytes in it are copied. */
    private static final int SCRATCH_BYTES = 512;

    /** The most bytes read at once of a payload that is skipped. */
    private static final int SKIP_BYTES = 64 << 10;

    private final ByteBufAllocator allocator;
    private final int maxDataBytes;
    private final CRC32C crc = new CRC32C();
    private final ByteBuf header = Unpooled.buffer(FrameHeader.BYTES, FrameHeader.BYTES);
    private final ByteBuf scratch;
    private FrameSink sink;
    private @Nullable FrameHeader current;
    private @Nullable ByteBuf payload;
    private int verified;
    private int skipping;
    private boolean closed;

    public FrameReader(ByteBufAllocator allocator, int maxDataBytes, FrameSink sink) {
        this.allocator = allocator;
        this.maxDataBytes = maxDataBytes;
        this.sink = sink;
        this.scratch = allocator.directBuffer(SCRATCH_BYTES, SCRATCH_BYTES);
    }

    /** Sets the sink, from the next frame on. */
    public void sink(FrameSink next) {
        sink = next;
    }

    public FrameSink sink() {
        return sink;
    }

    /** The buffer for the socket's next read; the caller owns one reference. */
    ByteBuf target() {
        if (closed || skipping > SCRATCH_BYTES) {
            return allocator.directBuffer(SKIP_BYTES, SKIP_BYTES);
        }
        if (payload != null) {
            return payload.retain();
        }
        scratch.clear();
        return scratch.retain();
    }

    /**
     * Takes bytes that were read, into {@link #target} or elsewhere. Takes ownership of {@code bytes} and releases it.
     */
    @SuppressWarnings("ReferenceEquality") // the very buffer that target() gave out
    public void read(ByteBuf bytes) throws ViolationException {
        try {
            if (bytes == payload) {
                advance(bytes);
            } else {
                consume(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    /** Returns whether the last byte read was not the last of a frame. */
    public boolean insideFrame() {
        return !closed && (payload != null || skipping > 0 || header.isReadable());
    }

    boolean closed() {
        return closed;
    }

    /** Releases its buffers; bytes read after this are dropped. Idempotent. */
    public void close() {
        if (!closed) {
            closed = true;
            scratch.release();
            if (payload != null) {
                payload.release();
                payload = null;
            }
        }
    }

    private void consume(ByteBuf bytes) throws ViolationException {
        while (!closed && bytes.isReadable()) {
            if (skipping > 0) {
                int n = Math.min(skipping, bytes.readableBytes());
                bytes.skipBytes(n);
                skipping -= n;
            } else if (payload != null) {
                payload.writeBytes(bytes, Math.min(payload.writableBytes(), bytes.readableBytes()));
                advance(payload);
            } else {
                header.writeBytes(bytes, Math.min(header.writableBytes(), bytes.readableBytes()));
                if (!header.isWritable()) {
                    begin();
                }
            }
        }
    }

    private void begin() throws ViolationException {
        FrameHeader next = FrameHeader.read(header, maxDataBytes);
        header.clear();
        boolean wanted = sink.admit(next);
        if (closed) {
            return;
        }
        if (!wanted) {
            skipping = next.length();
            return;
        }
        current = next;
        payload = next.length() == 0 ? Unpooled.EMPTY_BUFFER : allocator.directBuffer(next.length(), next.length());
        verified = 0;
        crc.reset();
        if (next.length() == 0) {
            complete(next, payload);
        }
    }

    /** Digests the new part of the payload while it is still in the processor's cache. */
    private void advance(ByteBuf collected) throws ViolationException {
        int end = collected.writerIndex();
        if (end > verified) {
            crc.update(collected.internalNioBuffer(verified, end - verified));
            verified = end;
        }
        FrameHeader whole = current;
        if (!collected.isWritable() && whole != null) {
            complete(whole, collected);
        }
    }

    private void complete(FrameHeader whole, ByteBuf collected) throws ViolationException {
        payload = null;
        current = null;
        if ((int) crc.getValue() == whole.crc32c()) {
            sink.frame(whole, collected);
        } else {
            collected.release();
            sink.damaged(whole);
        }
    }
}
