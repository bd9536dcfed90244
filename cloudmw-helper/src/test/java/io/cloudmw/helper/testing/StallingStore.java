package io.cloudmw.helper.testing;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A store whose reads stall after their first bytes until the reader is closed, or whose puts never end. */
public final class StallingStore extends ForwardingChunkStore {
    /** Instead of a number of bytes: puts stall, and reads do not. */
    public static final int PUTS = Integer.MAX_VALUE;

    private final CountDownLatch over = new CountDownLatch(1);
    private final int bytesBeforeStall;

    public StallingStore(ChunkStore store, int bytesBeforeStall) {
        super(store);
        this.bytesBeforeStall = bytesBeforeStall;
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        if (bytesBeforeStall != PUTS) {
            return super.put(chunk, source);
        }
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new CloudMwException(ErrorCode.CANCELLED, "stalled, then closed");
    }

    @Override
    public void close() {
        over.countDown();
        super.close();
    }

    @Override
    protected ChunkReader opened(ChunkId chunk, ByteRange range, Opening opening) throws CloudMwException {
        ChunkReader reader = opening.open();
        CountDownLatch closed = new CountDownLatch(1);
        return new ChunkReader() {
            private int left = bytesBeforeStall;

            @Override
            public int read(ByteBuffer target) throws CloudMwException {
                if (left == 0) {
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    throw new CloudMwException(ErrorCode.CANCELLED, "stalled, then closed");
                }
                int limit = target.limit();
                target.limit(target.position() + Math.min(left, target.remaining()));
                int read = reader.read(target);
                target.limit(limit);
                left -= Math.max(read, 0);
                return read;
            }

            @Override
            public void close() {
                closed.countDown();
                reader.close();
            }
        };
    }

    @Override
    public Optional<Path> file(ChunkId chunk) {
        return Optional.empty();
    }
}
