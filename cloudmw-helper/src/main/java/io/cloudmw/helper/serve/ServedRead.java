package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.wire.BulkRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One range on its way to somebody else. Reads only what it has credit for, at most {@link ReadTurns#TURN_BYTES} before others have
 * a turn, and holds no thread while it waits for more. A reader that takes nothing for too long loses its place.
 */
final class ServedRead extends ServedStream {
    private static final int FRAME_BYTES = Leaves.DEFAULT_SIZE_BYTES;
    private static final byte[] NO_TRAILER = {};

    private final ChunkStore disk;
    private final ChunkId chunk;
    private final ByteRange range;
    private final ByteBufAllocator allocator;
    private final Duration longest;
    private final IdleTimeout silence;
    private final ReadTurns turns;
    private final CRC32C crc = new CRC32C();
    /** It will see what it may send: nobody need tell it again. */
    private final AtomicBoolean asked = new AtomicBoolean();

    private @Nullable ChunkReader reader;
    private long sent;

    ServedRead(
            ChunkStore disk,
            BulkRequest.Read request,
            BulkStream stream,
            ReadHandler.Means means,
            ReadTurns turns,
            Runnable finished) {
        super("chunk=" + request.chunk() + " store=" + disk.id(), stream, turns, finished);
        this.turns = turns;
        this.disk = disk;
        this.chunk = request.chunk();
        this.range = request.range();
        this.allocator = means.allocator();
        this.longest = means.silence();
        this.silence = new IdleTimeout(longest, means.ticker(), means.timer(), () -> post(this::checkSilence));
    }

    /** Opens at once, so that a missing chunk is told without waiting for credit. */
    void start() {
        ask();
    }

    @Override
    public void granted() {
        ask();
    }

    private void ask() {
        if (asked.compareAndSet(false, true)) {
            post(this::advance);
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        post(() -> {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, what() + ": data sent to a read");
        });
    }

    @Override
    public void ended(byte[] trailer) {
        // The reader has nothing to say.
    }

    private void advance() throws CloudMwException {
        asked.set(false);
        ChunkReader open = reader;
        if (open == null) {
            open = disk.read(chunk, range);
            reader = open;
        }
        send(open);
        if (sent == range.length()) {
            stream().end(NO_TRAILER);
            close();
        } else if (!silence.isWatched()) {
            silence.watch();
        }
    }

    /** Whoever takes nothing holds a place that others wait for. */
    private void checkSilence() throws CloudMwException {
        if (silence.isTooLong()) {
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
                ask();
                return;
            }
            ByteBuf frame = read(open, length);
            var unused = stream().send(frame, (int) crc.getValue());
            sent += length;
            silence.heard();
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
                    throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what() + ": ended early");
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
        silence.end();
        if (reader != null) {
            reader.close();
        }
    }
}
