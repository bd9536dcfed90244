package io.cloudmw.core.cache.disk;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.store.ChunkReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A reader of adjacent leaves of a disk cache, one file after the other. A single thread reads; any thread may close it. */
final class DiskCacheReader implements ChunkReader {
    private final DiskCache cache;
    private final int leafSizeBytes;
    private final ChunkId chunk;
    private final long end;
    private long position;
    private volatile boolean closed;
    private volatile @Nullable FileChannel open;

    DiskCacheReader(DiskCache cache, ChunkId chunk, ByteRange range, int leafSizeBytes) {
        this.cache = cache;
        this.leafSizeBytes = leafSizeBytes;
        this.chunk = chunk;
        this.position = range.offset();
        this.end = range.end();
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        if (position == end) {
            return -1;
        }
        LeafKey key = new LeafKey(chunk, Math.toIntExact(position / leafSizeBytes));
        long inLeaf = position % leafSizeBytes;
        int limit = target.limit();
        int most = (int) Math.min(end - position, leafSizeBytes - inLeaf);
        target.limit(Math.min(limit, target.position() + most));
        try {
            int read = file(key).read(target, inLeaf);
            if (read < 0) {
                throw new CloudMwException(ErrorCode.REPLICA_CORRUPT, what(key) + "the file is too short");
            }
            advance(read);
            return read;
        } catch (NoSuchFileException e) {
            throw new CloudMwException(ErrorCode.REPLICA_MISSING, what(key) + "the file is gone", e);
        } catch (IOException e) {
            throw failure(key, e);
        } finally {
            target.limit(limit);
        }
    }

    private static String what(LeafKey key) {
        return "leaf " + key + " store=" + DiskCache.ID + ": ";
    }

    private CloudMwException failure(LeafKey key, IOException e) {
        if (e instanceof CloudMwException known) {
            return known;
        }
        return closed
                ? new CloudMwException(ErrorCode.CANCELLED, what(key) + "cancelled", e)
                : new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what(key) + Reasons.of(e), e);
    }

    private FileChannel file(LeafKey key) throws IOException {
        FileChannel file = open;
        if (file == null) {
            file = FileChannel.open(cache.file(key), StandardOpenOption.READ);
            open = file;
            if (closed) {
                file.close();
            }
        }
        return file;
    }

    private void advance(int read) {
        position += read;
        if (position == end || position % leafSizeBytes == 0) {
            shut();
        }
    }

    private void shut() {
        FileChannel file = open;
        open = null;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // Nothing was written to the file.
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        shut();
    }
}
