package io.cloudmw.coordinator.backup;

import io.cloudmw.core.backup.BackupPart;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.Chunk;
import java.io.InputStream;

/** The verified bytes of a backup part, read from stores alone. Buffers a range of a chunk. Confined to one thread. */
final class BackupPartStream extends InputStream {
    private final ChunkCopyReader copies;
    private final BackupPart part;
    private int chunk;
    private long offset;
    private byte[] window = new byte[0];
    private int read;

    BackupPartStream(ChunkCopyReader copies, BackupPart part) {
        this.copies = copies;
        this.part = part;
    }

    @Override
    public int read() throws CloudMwException {
        return fill() ? window[read++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int from, int length) throws CloudMwException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, window.length - read);
        System.arraycopy(window, read, target, from, count);
        read += count;
        return count;
    }

    private boolean fill() throws CloudMwException {
        while (read == window.length) {
            if (chunk == part.chunks().size()) {
                return false;
            }
            Chunk next = part.chunks().get(chunk);
            ByteRange range = ChunkCopyReader.window(next, offset);
            window = copies.read(next, range);
            read = 0;
            offset = range.end();
            if (offset == next.range().length()) {
                chunk++;
                offset = 0;
            }
        }
        return true;
    }
}
