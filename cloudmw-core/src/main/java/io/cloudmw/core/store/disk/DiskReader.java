package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/** The reader of a range of a chunk's file. Closing its channel interrupts a blocked read. */
final class DiskReader implements ChunkReader {
    /** The destinations of the bytes. */
    enum Destination {
        BUFFERS,
        /** Only the kernel's memory: the caller's buffers are advanced, not filled. */
        PAGE_CACHE
    }

    private final StoreId store;
    private final String what;
    private final FileChannel file;
    private final long end;
    /** Takes bytes that are not to be copied; null when they are copied. */
    private final @Nullable PageCache cache;

    private long position;

    DiskReader(StoreId store, String what, FileChannel file, ByteRange range, Destination into) {
        this.cache = into == Destination.PAGE_CACHE ? pageCache() : null;
        this.store = store;
        this.what = what;
        this.file = file;
        this.position = range.offset();
        this.end = range.end();
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        if (!file.isOpen()) {
            throw new CloudMwException(ErrorCode.CANCELLED, what + " store=" + store + ": cancelled");
        }
        if (position == end) {
            return -1;
        }
        int limit = target.limit();
        target.limit((int) Math.min(limit, target.position() + (end - position)));
        try {
            int read = transfer(target);
            if (read < 0) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        what + " store=" + store + ": its file ends at " + position + " (expected: " + end + ")");
            }
            position += read;
            return read;
        } catch (IOException e) {
            throw DiskErrors.translate(store, what, e);
        } finally {
            target.limit(limit);
        }
    }

    private int transfer(ByteBuffer target) throws IOException {
        PageCache only = cache;
        if (only == null) {
            return file.read(target, position);
        }
        int moved = only.load(file, position, target.remaining());
        target.position(target.position() + Math.max(0, moved));
        return moved;
    }

    /** The page cache; null when there is no null device, so that bytes are copied. */
    private static @Nullable PageCache pageCache() {
        try {
            return PageCache.open();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // Nothing was written through it: a failure to close loses nothing.
        }
        if (cache != null) {
            cache.close();
        }
    }
}
