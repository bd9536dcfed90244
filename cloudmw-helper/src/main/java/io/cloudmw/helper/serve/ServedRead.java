package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range on its way to somebody else. Reads only what it has credit for, and holds no thread while it waits for
 * more. Everything but the listener's methods runs on its serial executor.
 */
final class ServedRead implements BulkStreamListener {
    private static final Logger LOG = LoggerFactory.getLogger(ServedRead.class);
    private static final int FRAME_BYTES = Leaves.DEFAULT_SIZE_BYTES;
    private static final byte[] NO_TRAILER = {};

    private final ChunkStore disk;
    private final ChunkId chunk;
    private final ByteRange range;
    private final BulkStream stream;
    private final ByteBufAllocator allocator;
    private final Executor executor;
    private final Runnable finished;
    private final CRC32C crc = new CRC32C();
    private @Nullable ChunkReader reader;
    private long sent;
    private boolean over;

    ServedRead(
            ChunkStore disk,
            ChunkId chunk,
            ByteRange range,
            BulkStream stream,
            ByteBufAllocator allocator,
            Executor executor,
            Runnable finished) {
        this.disk = disk;
        this.chunk = chunk;
        this.range = range;
        this.stream = stream;
        this.allocator = allocator;
        this.executor = executor;
        this.finished = finished;
    }

    /** Opens at once, so that a missing chunk is told without waiting for credit. */
    void start() {
        executor.execute(this::advance);
    }

    @Override
    public void granted() {
        executor.execute(this::advance);
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        payload.release();
        executor.execute(() ->
                fail(new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "chunk=" + chunk + ": data sent to a read")));
    }

    @Override
    public void ended(byte[] trailer) {
        // The reader has nothing to say.
    }

    @Override
    public void failed(CloudMwException cause) {
        executor.execute(this::close);
    }

    private void advance() {
        if (over) {
            return;
        }
        try {
            ChunkReader open = reader;
            if (open == null) {
                open = disk.read(chunk, range);
                reader = open;
            }
            send(open);
            if (sent == range.length()) {
                stream.end(NO_TRAILER);
                close();
            }
        } catch (CloudMwException e) {
            fail(e);
        } catch (RuntimeException e) {
            LOG.error("chunk={} store={}: serving failed by a defect", chunk, disk.id(), e);
            fail(new CloudMwException(ErrorCode.INTERNAL, "chunk=" + chunk + ": " + e, e));
        }
    }

    private void send(ChunkReader open) throws CloudMwException {
        while (sent < range.length()) {
            int length = (int) Math.min(FRAME_BYTES, range.length() - sent);
            length = (int) Math.min(length, stream.credit());
            if (length <= 0) {
                return;
            }
            ByteBuf frame = read(open, length);
            var unused = stream.send(frame, (int) crc.getValue());
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
                    throw new CloudMwException(
                            ErrorCode.STORE_UNAVAILABLE, "chunk=" + chunk + " store=" + disk.id() + ": ended early");
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

    private void fail(CloudMwException cause) {
        if (!over) {
            stream.reset(cause.code(), String.valueOf(cause.getMessage()));
            close();
        }
    }

    private void close() {
        if (!over) {
            over = true;
            if (reader != null) {
                reader.close();
            }
            finished.run();
        }
    }
}
