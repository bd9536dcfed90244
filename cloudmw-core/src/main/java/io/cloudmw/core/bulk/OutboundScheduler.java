package io.cloudmw.core.bulk;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.frame.QueuedFrame;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.epoll.EpollSocketChannelConfig;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a connection. Streams with queued frames take turns, one frame each, while the socket holds less
 * than the watermark. Control frames do not wait, but their backlog is bounded: a peer that causes answers without
 * reading them is disconnected. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
final class OutboundScheduler {
    private final FrameChannel owner;
    private final Channel channel;
    private final ByteBufAllocator allocator;
    private final BulkOptions options;
    private final boolean fileRegions;
    private final CRC32C crc = new CRC32C();
    private final ArrayDeque<MultiplexedStream> ready = new ArrayDeque<>();
    private final ArrayDeque<MultiplexedStream> granting = new ArrayDeque<>();
    private long inFlightBytes;
    private long controlBytes;
    private long framesSent;
    private boolean answering;
    private boolean pumping;
    private boolean held;
    private boolean dirty;
    private boolean corked;
    private @Nullable CloudMwException over;

    /**
     * @param fileRegions whether the kernel may send files by itself; not on a connection that encrypts
     */
    OutboundScheduler(FrameChannel owner, ByteBufAllocator allocator, boolean fileRegions) {
        this.owner = owner;
        this.channel = owner.channel();
        this.allocator = allocator;
        this.options = owner.options();
        this.fileRegions = fileRegions;
    }

    /** The streams' frames that the kernel has taken so far. */
    long framesSent() {
        return framesSent;
    }

    /** Collects what is written, instead of flushing frame by frame, until {@link #resume}. */
    void hold() {
        held = true;
    }

    /** Ends a {@link #hold}. */
    void resume() {
        held = false;
        for (MultiplexedStream stream = granting.poll(); stream != null; stream = granting.poll()) {
            stream.sendCredit();
        }
        if (dirty) {
            flush();
        }
    }

    /**
     * Notes, inside a {@link #hold}, that the stream has credit to send at its end. Returns false when there is no
     * hold.
     */
    boolean grantsLater(MultiplexedStream stream) {
        return held && granting.add(stream);
    }

    /** Puts a stream with queued frames in turn. It must not be called again before the stream's queue was empty. */
    void ready(MultiplexedStream stream) {
        if (over == null) {
            ready.add(stream);
            pump();
        }
    }

    /** Answers a PING, unless an answer still waits to leave: one answers all before it. */
    void pong() {
        if (!answering && over == null) {
            answering = true;
            control(FrameType.PONG, 0, new byte[0]);
        }
    }

    /** Writes a frame other than data. */
    void control(FrameType type, int stream, byte[] payload) {
        if (over != null) {
            return;
        }
        ByteBuf frame = encode(type, stream, payload);
        int bytes = frame.readableBytes();
        controlBytes += bytes;
        channel.write(frame).addListener(written -> {
            controlBytes -= bytes;
            answering &= type != FrameType.PONG;
        });
        flush();
        if (controlBytes > options.controlQueueBytes()) {
            owner.violated(new ViolationException(
                    BulkViolation.NOT_READING, controlBytes + " bytes of answers are waiting to be read"));
        }
    }

    void credit(int stream, long bytes) {
        byte[] payload = new byte[Long.BYTES];
        for (int i = 0; i < Long.BYTES; i++) {
            payload[i] = (byte) (bytes >>> (Long.SIZE - Byte.SIZE * (i + 1)));
        }
        control(FrameType.CREDIT, stream, payload);
    }

    /** Writes the last frame of the connection; after {@link #close}. */
    ChannelFuture farewell(byte[] reset) {
        return channel.writeAndFlush(encode(FrameType.RESET, 0, reset));
    }

    /** Stops writing; frames in the socket stay there until it closes. */
    void close(CloudMwException cause) {
        over = cause;
        ready.clear();
        granting.clear();
    }

    /** Writes a stream's first or last frame under the watermark. */
    void small(FrameType type, int stream, byte[] payload) {
        ByteBuf frame = encode(type, stream, payload);
        int bytes = frame.readableBytes();
        inFlightBytes += bytes;
        channel.write(frame).addListener(written -> taken(bytes));
    }

    /** Writes a data frame; its future and the stream are told when the kernel has taken it. */
    void data(MultiplexedStream stream, int id, QueuedFrame.Data frame) {
        Object payload;
        try {
            payload = frame.payload(allocator, fileRegions);
        } catch (IOException e) {
            frame.drop();
            stream.unreadable(frame, e);
            return;
        }
        if (payload instanceof FileRegion) {
            cork(true);
        }
        ByteBuf header = allocator.directBuffer(FrameHeader.BYTES, FrameHeader.BYTES);
        new FrameHeader(FrameType.DATA, id, frame.length(), frame.crc32c()).write(header);
        channel.write(header, channel.voidPromise());
        int bytes = FrameHeader.BYTES + frame.length();
        inFlightBytes += bytes;
        ChannelPromise promise = channel.newPromise();
        promise.addListener(written -> {
            stream.drained(frame.length());
            if (written.isSuccess()) {
                owner.metrics().sent(frame.length());
                frame.sent().complete(null);
            } else {
                frame.sent().completeExceptionally(broken(written.cause()));
            }
            taken(bytes);
        });
        channel.write(payload, promise);
    }

    private void taken(int bytes) {
        inFlightBytes -= bytes;
        framesSent++;
        pump();
        if (inFlightBytes == 0) {
            cork(false);
        }
    }

    /**
     * Sets the socket's cork: while it is on, the kernel sends full segments only. A frame's header and its file are
     * two calls, and without the cork the header would travel alone and wake the peer for 16 bytes. It is off again as
     * soon as the kernel has taken everything.
     */
    private void cork(boolean on) {
        if (corked != on && channel.isActive() && channel.config() instanceof EpollSocketChannelConfig socket) {
            socket.setTcpCork(on);
            corked = on;
        }
    }

    private void pump() {
        if (pumping || over != null || ready.isEmpty()) {
            return;
        }
        pumping = true;
        try {
            while (over == null && inFlightBytes < options.outboundWatermarkBytes()) {
                MultiplexedStream stream = ready.poll();
                if (stream == null) {
                    break;
                }
                if (stream.writeNext(this)) {
                    ready.add(stream);
                }
            }
        } finally {
            pumping = false;
        }
        flush();
    }

    private void flush() {
        dirty = held;
        if (!held) {
            channel.flush();
        }
    }

    private ByteBuf encode(FrameType type, int stream, byte[] payload) {
        crc.reset();
        crc.update(payload);
        ByteBuf frame = allocator.directBuffer(FrameHeader.BYTES + payload.length);
        new FrameHeader(type, stream, payload.length, (int) crc.getValue()).write(frame);
        return frame.writeBytes(payload);
    }

    private CloudMwException broken(Throwable failure) {
        CloudMwException cause = over;
        return cause != null
                ? cause
                : new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "connection: " + failure.getMessage(), failure);
    }
}
