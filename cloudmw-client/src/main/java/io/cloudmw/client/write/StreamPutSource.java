package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A source that reads a stream. Each chunk in flight is kept in a nameless temporary file, so that it can be sent
 * again. Only a stream that must be {@link #measure measured} is kept there whole.
 */
public final class StreamPutSource implements PutSource {
    private static final int BUFFER_BYTES = 64 << 10;

    private final InputStream stream;
    /** Empty: not known. */
    private final OptionalLong size;

    private long position;
    private boolean ended;
    private volatile @Nullable FileChannel whole;
    private volatile boolean closed;

    /** @param stream stays open */
    public StreamPutSource(InputStream stream, long size) {
        this(stream, OptionalLong.of(size));
        if (size < 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: >= 0)");
        }
    }

    /** Everything that the stream gives until it ends. */
    public StreamPutSource(InputStream stream) {
        this(stream, OptionalLong.empty());
    }

    private StreamPutSource(InputStream stream, OptionalLong size) {
        this.stream = stream;
        this.size = size;
    }

    @Override
    public OptionalLong open() {
        return size;
    }

    @Override
    public long measure() throws CloudMwException {
        FileChannel kept = spooled(Long.MAX_VALUE);
        whole = kept;
        if (closed) {
            close(kept);
        }
        return position;
    }

    @Override
    public boolean isStream() {
        return true;
    }

    @Override
    public boolean isRepeatable() {
        return whole != null;
    }

    @Override
    public Part part(ByteRange range) throws CloudMwException {
        FileChannel kept = whole;
        if (kept != null) {
            return new Slice(kept, range, false);
        }
        long from = position;
        if (range.offset() != from && !ended) {
            throw new IllegalStateException("offset: " + range.offset() + " (expected: " + from + ")");
        }
        FileChannel spool = spooled(range.length());
        return new Slice(spool, new ByteRange(0, position - from), true);
    }

    /** The next bytes of the stream: this many, or all that are left if their number is unknown. */
    private FileChannel spooled(long length) throws CloudMwException {
        try {
            FileChannel spool = UnlinkedFile.open();
            boolean kept = false;
            try {
                copy(spool, length);
                kept = true;
            } finally {
                if (!kept) {
                    spool.close();
                }
            }
            return spool;
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private void copy(FileChannel spool, long length) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long left = length;
        while (left > 0 && !ended) {
            requireOpen();
            int read = stream.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                end();
                return;
            }
            keep(ByteBuffer.wrap(buffer, 0, read), spool);
            left -= read;
            position += read;
        }
    }

    private static void keep(ByteBuffer bytes, FileChannel spool) throws CloudMwException {
        try {
            while (bytes.hasRemaining()) {
                spool.write(bytes);
            }
        } catch (IOException e) {
            throw new CloudMwException(ErrorCode.LOCAL_IO, "temporary file: cannot write to it: " + Reasons.of(e), e);
        }
    }

    /** Fails when closed: the rest of the stream is left to its owner. */
    private void requireOpen() throws CloudMwException {
        if (closed) {
            throw new CloudMwException(ErrorCode.CANCELLED, "source: the put is over");
        }
    }

    private void end() throws CloudMwException {
        if (size.isPresent()) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, "source: ends at " + position + " instead of " + size.getAsLong());
        }
        ended = true;
    }

    @Override
    public void checkUnchanged() throws CloudMwException {
        try {
            if (!ended && stream.read() >= 0) {
                throw new CloudMwException(ErrorCode.LOCAL_IO, "source: has more than " + position + " bytes");
            }
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static CloudMwException unreadable(IOException e) {
        return e instanceof CloudMwException known // the message names the source itself
                ? known
                : new CloudMwException(ErrorCode.LOCAL_IO, "source: cannot read it: " + Reasons.of(e), e);
    }

    @Override
    public void close() {
        closed = true;
        FileChannel kept = whole;
        if (kept != null) {
            close(kept);
        }
    }

    private static void close(FileChannel spool) {
        try {
            spool.close();
        } catch (IOException e) {
            // A temporary file promises nothing.
        }
    }

    /** @param owned whether the part closes the file */
    private record Slice(FileChannel spool, ByteRange range, boolean owned) implements Part {
        @Override
        public long length() {
            return range.length();
        }

        @Override
        public void read(long offset, ByteBuffer target) throws CloudMwException {
            long at = range.offset() + offset;
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
            if (owned) {
                StreamPutSource.close(spool);
            }
        }
    }
}
