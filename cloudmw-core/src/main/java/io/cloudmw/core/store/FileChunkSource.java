package io.cloudmw.core.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Objects;

/**
 * A source whose chunk is at the beginning of a file. It reads by position, so that several streams can read at once.
 * Does not own the file.
 */
public final class FileChunkSource implements ChunkSource {
    private final FileChannel file;
    private final long length;

    public FileChunkSource(FileChannel file, long length) {
        this.file = file;
        this.length = length;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public InputStream open() {
        return new Stream();
    }

    private final class Stream extends InputStream {
        private long position;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            Objects.checkFromIndexSize(offset, count, target.length);
            if (count == 0) {
                return 0;
            }
            int wanted = (int) Math.min(count, length - position);
            if (wanted == 0) {
                return -1;
            }
            int read = file.read(ByteBuffer.wrap(target, offset, wanted), position);
            if (read < 0) {
                throw new IOException("the file ended at " + position + " of " + length + " bytes");
            }
            position += read;
            return read;
        }
    }
}
