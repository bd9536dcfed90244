package io.cloudmw.client.write;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A source that reads a stream. Each chunk in flight is kept in {@link SpooledBytes}, so that it can be sent again. Only
 * a stream that must be {@link #measure measured} is kept whole.
 */
public final class StreamPutSource implements PutSource {
    private final InputStream stream;
    private final ByteBudget memory;
    /** Empty: not known. */
    private final OptionalLong size;

    private long position;
    private boolean ended;
    private volatile @Nullable SpooledBytes whole;
    private volatile boolean closed;

    /**
     * A source of known length.
     *
     * @param stream stays open
     * @param memory for the kept bytes of all streams together; others are kept in a temporary file
     */
    public StreamPutSource(InputStream stream, long size, ByteBudget memory) {
        this(stream, OptionalLong.of(size), memory);
        if (size < 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: >= 0)");
        }
    }

    /** A source of everything that the stream gives until it ends. */
    public StreamPutSource(InputStream stream, ByteBudget memory) {
        this(stream, OptionalLong.empty(), memory);
    }

    private StreamPutSource(InputStream stream, OptionalLong size, ByteBudget memory) {
        this.stream = stream;
        this.size = size;
        this.memory = memory;
    }

    @Override
    public OptionalLong open() {
        return size;
    }

    @Override
    public long measure() throws CloudMwException {
        SpooledBytes kept = spooled(Long.MAX_VALUE);
        whole = kept;
        if (closed) {
            kept.close();
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
        SpooledBytes kept = whole;
        if (kept != null) {
            return new Slice(kept, range, false);
        }
        long from = position;
        if (range.offset() != from && !ended) {
            throw new IllegalStateException("offset: " + range.offset() + " (expected: " + from + ")");
        }
        SpooledBytes spool = spooled(range.length());
        return new Slice(spool, new ByteRange(0, position - from), true);
    }

    /** The next bytes of the stream: this many, or all that are left if their number is unknown. */
    private SpooledBytes spooled(long length) throws CloudMwException {
        SpooledBytes spool = new SpooledBytes(memory);
        boolean kept = false;
        try {
            fill(spool, length);
            kept = true;
            return spool;
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(e);
        } finally {
            if (!kept) {
                spool.close();
            }
        }
    }

    private void fill(SpooledBytes spool, long length) throws IOException {
        long left = length;
        while (left > 0 && !ended) {
            requireOpen();
            int read = spool.readFrom(stream, left);
            if (read < 0) {
                end();
            } else {
                left -= read;
                position += read;
            }
        }
        spool.complete();
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
        SpooledBytes kept = whole;
        if (kept != null) {
            kept.close();
        }
    }

    /** @param owned whether the part closes the bytes */
    private record Slice(SpooledBytes spool, ByteRange range, boolean owned) implements Part {
        @Override
        public long length() {
            return range.length();
        }

        @Override
        public void read(long offset, ByteBuffer target) throws CloudMwException {
            try {
                spool.read(range.offset() + offset, target);
            } catch (IOException e) {
                throw unreadable(e);
            }
        }

        @Override
        public void close() {
            if (owned) {
                spool.close();
            }
        }
    }
}
