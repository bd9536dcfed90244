package io.cloudmw.client.transfer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.NamelessFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A stream of known length. Each chunk is kept in a nameless temporary file while it is sent, so that it can be sent
 * again; as many as are in flight at once.
 */
public final class StreamSource implements PutSource {
    private static final int BUFFER_BYTES = 64 << 10;

    private final InputStream stream;
    private final long size;
    private long position;

    /** @param stream stays open */
    public StreamSource(InputStream stream, long size) {
        if (size < 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: >= 0)");
        }
        this.stream = stream;
        this.size = size;
    }

    @Override
    public long open() {
        return size;
    }

    @Override
    public boolean isStream() {
        return true;
    }

    @Override
    public Part part(ByteRange range) throws CloudMwException {
        if (range.offset() != position) {
            throw new IllegalStateException("offset: " + range.offset() + " (expected: " + position + ")");
        }
        try {
            FileChannel spool = NamelessFile.open();
            boolean kept = false;
            try {
                copy(spool, range.length());
                kept = true;
            } finally {
                if (!kept) {
                    spool.close();
                }
            }
            return new Spooled(spool);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private void copy(FileChannel spool, long length) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long left = length;
        while (left > 0) {
            int read = stream.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, "source: ends at " + position + " instead of " + size);
            }
            ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, read);
            while (bytes.hasRemaining()) {
                spool.write(bytes);
            }
            left -= read;
            position += read;
        }
    }

    @Override
    public void checkUnchanged() throws CloudMwException {
        try {
            if (stream.read() >= 0) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, "source: has more than " + size + " bytes");
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static CloudMwException unreadable(IOException e) {
        return new CloudMwException(ErrorCode.LOCAL_IO, "source: cannot read it: " + Reasons.of(e), e);
    }

    @Override
    public void close() {}

    private record Spooled(FileChannel spool) implements Part {
        @Override
        public void read(long offset, ByteBuffer target) throws CloudMwException {
            long at = offset;
            try {
                while (target.hasRemaining()) {
                    int read = spool.read(target, at);
                    if (read < 0) {
                        throw new IOException("temporary file ends at " + at);
                    }
                    at += read;
                }
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        @Override
        public void close() {
            try {
                spool.close();
            } catch (IOException e) {
                // Nothing was promised about a temporary file.
            }
        }
    }
}
