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
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One range on its way to somebody else. Reads only what it has credit for, and holds no thread while it waits for more. */
final class ServedRead extends ServedStream {
    private static final int FRAME_BYTES = Leaves.DEFAULT_SIZE_BYTES;
    private static final byte[] NO_TRAILER = {};

    private final ChunkStore disk;
    private final ChunkId chunk;
    private final ByteRange range;
    private final ByteBufAllocator allocator;
    private final CRC32C crc = new CRC32C();
    private @Nullable ChunkReader reader;
    private long sent;

    ServedRead(
            ChunkStore disk,
            BulkRequest.Read request,
            BulkStream stream,
            ByteBufAllocator allocator,
            Executor threads,
            Runnable finished) {
        super("chunk=" + request.chunk() + " store=" + disk.id(), stream, threads, finished);
        this.disk = disk;
        this.chunk = request.chunk();
        this.range = request.range();
        this.allocator = allocator;
    }

    /** Opens at once, so that a missing chunk is told without waiting for credit. */
    void start() {
        post(this::advance);
    }

    @Override
    public void granted() {
        post(this::advance);
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
        ChunkReader open = reader;
        if (open == null) {
            open = disk.read(chunk, range);
            reader = open;
        }
        send(open);
        if (sent == range.length()) {
            stream().end(NO_TRAILER);
            close();
        }
    }

    private void send(ChunkReader open) throws CloudMwException {
        while (sent < range.length()) {
            int length = (int) Math.min(FRAME_BYTES, range.length() - sent);
            length = (int) Math.min(length, stream().credit());
            if (length <= 0) {
                return;
            }
            ByteBuf frame = read(open, length);
            var unused = stream().send(frame, (int) crc.getValue());
            sent += length;
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
        if (reader != null) {
            reader.close();
        }
    }
}
