package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.store.ChunkReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A range of a chunk's file. Closing the channel is what interrupts a blocked read. */
final class DiskReader implements ChunkReader {
    /** Where the bytes go. */
    enum Into {
        BUFFERS,
        /** No further than into the kernel's memory: the caller's buffers are counted, not filled. */
        PAGE_CACHE
    }

    private static final Path NULL_DEVICE = Path.of("/dev/null");

    private final StoreId store;
    private final String what;
    private final FileChannel file;
    private final long end;
    /** Takes what is not to be copied; null when it is. */
    private final @Nullable FileChannel nowhere;

    private long position;

    DiskReader(StoreId store, String what, FileChannel file, ByteRange range, Into into) {
        this.nowhere = into == Into.PAGE_CACHE ? nowhere() : null;
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

    /** From a file to the null device the kernel moves references to pages: an eighth of the cost of copying them. */
    private int transfer(ByteBuffer target) throws IOException {
        FileChannel sink = nowhere;
        if (sink == null) {
            return file.read(target, position);
        }
        int moved = (int) file.transferTo(position, target.remaining(), sink);
        target.position(target.position() + moved);
        return moved == 0 ? -1 : moved;
    }

    /** Null where there is no such device: then bytes are copied. */
    private static @Nullable FileChannel nowhere() {
        try {
            return FileChannel.open(NULL_DEVICE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        close(file);
        if (nowhere != null) {
            close(nowhere);
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was written through it: there is nothing to lose, and no one to tell.
        }
    }
}
