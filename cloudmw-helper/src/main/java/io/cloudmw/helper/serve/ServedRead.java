package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A response to a read of one range. The response reads only bytes for which it has credit, and at most
 * {@link ReadTurns#TURN_BYTES} in a turn. The response holds no thread while it waits for credit. A reader that takes
 * nothing for too long loses its place.
 */
final class ServedRead extends ServedStream {
    private static final int FRAME_BYTES = Leaves.DEFAULT_SIZE_BYTES;
    private static final byte[] NO_TRAILER = {};

    private final ChunkStore disk;
    private final ChunkId chunk;
    private final ByteRange range;
    private final ByteBufAllocator allocator;
    private final Duration longest;
    private final IdleTimeout idle;
    private final ReadTurns turns;
    private final CRC32C crc = new CRC32C();
    /** A step that sends is queued already. */
    private final AtomicBoolean queued = new AtomicBoolean();

    private @Nullable ChunkReader reader;
    private long sent;

    ServedRead(
            ChunkStore disk,
            BulkRequest.Read request,
            BulkStream stream,
            ReadHandler.Resources resources,
            ReadTurns turns,
            Runnable finished) {
        super("chunk=" + request.chunk() + " store=" + disk.id(), stream, turns, finished);
        this.turns = turns;
        this.disk = disk;
        this.chunk = request.chunk();
        this.range = request.range();
        this.allocator = resources.allocator();
        this.longest = resources.silence();
        this.idle = new IdleTimeout(longest, resources.ticker(), resources.timer(), () -> post(this::checkIdle));
    }

    /** Opens the chunk at once, so that a missing chunk fails without waiting for credit. */
    void start() {
        sendLater();
    }

    @Override
    public void granted() {
        sendLater();
    }

    private void sendLater() {
        if (queued.compareAndSet(false, true)) {
            post(this::advance);
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        post(() -> {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, what() + ": the reader sent data");
        });
    }

    @Override
    public void ended(byte[] trailer) {
        // Readers send no trailer.
    }

    private void advance() throws CloudMwException {
        queued.set(false);
        ChunkReader open = reader;
        if (open == null) {
            open = disk.read(chunk, range);
            reader = open;
        }
        send(open);
        if (sent == range.length()) {
            stream().end(NO_TRAILER);
            close();
        } else if (!idle.isWatched()) {
            idle.watch();
        }
    }

    /** Ends the read of a silent reader, which holds a place that others wait for. */
    private void checkIdle() throws CloudMwException {
        if (idle.isOver()) {
            throw new CloudMwException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    what() + ": the reader took nothing for " + longest.toMillis() + " ms, after " + sent + " of "
                            + range.length() + " bytes");
        }
    }

    private void send(ChunkReader open) throws CloudMwException {
        while (sent < range.length()) {
            int length = (int) Math.min(FRAME_BYTES, range.length() - sent);
            length = (int) Math.min(length, stream().credit());
            if (length <= 0) {
                return;
            }
            if (turns.leftBytes() < length) {
                sendLater();
                return;
            }
            ByteBuf frame = read(open, length);
            var unused = stream().send(frame, (int) crc.getValue());
            sent += length;
            idle.restart();
            turns.moved(length);
        }
    }

    private ByteBuf read(ChunkReader open, int length) throws CloudMwException {
        ByteBuf frame = allocator.directBuffer(length, length);
        boolean whole = false;
        try {
            ByteBuffer bytes = frame.nioBuffer(0, length);
            while (bytes.hasRemaining()) {
                if (open.read(bytes) < 0) {
                    throw new CloudMwException(
                            ErrorCode.STORE_UNAVAILABLE,
                            what() + ": the disk ended after " + sent + " of " + range.length() + " bytes");
                }
            }
            crc.reset();
            crc.update(bytes.flip());
            frame.writerIndex(length);
            whole = true;
            return frame;
        } finally {
            if (!whole) {
                frame.release();
            }
        }
    }

    @Override
    void free() {
        idle.end();
        if (reader != null) {
            reader.close();
        }
    }
}
