package io.cloudmw.connector;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.channel.PieceReader;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.model.ByteRange;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open version of a file with a position. Reads at the position run ahead when they follow one another; a seek costs
 * nothing until the next read. Reads of given positions and of ranges fetch what they want and nothing else. Safe for any
 * thread: reads at the position take turns, the others run at once.
 */
public final class SeekableFile implements AutoCloseable {
    /** Bytes that are kept for reads at the position that are shorter. */
    static final int BUFFER_BYTES = 8 << 10;

    private final RemoteFile file;
    private final PieceReader reader;

    @GuardedBy("this")
    private long position;

    @GuardedBy("this")
    private @Nullable ByteBuffer buffer;

    /** The position of the first byte in the buffer. */
    @GuardedBy("this")
    private long bufferStart;

    private volatile boolean closed;

    /**
     * @param file closed with this
     * @param channels read ahead; not closed with this
     */
    public SeekableFile(RemoteFile file, FileChannels channels) {
        this.file = file;
        this.reader = channels.reader(file);
    }

    /** The length of the version, in bytes. */
    public long sizeBytes() {
        return file.version().sizeBytes();
    }

    /** The position of the next read. */
    public synchronized long position() {
        return position;
    }

    /** Sets the position, which may be behind the end. */
    public synchronized void seek(long target) throws IOException {
        requireOpen();
        if (target < 0) {
            throw new EOFException(file.version().file() + ": seek to " + target + " (expected: >= 0)");
        }
        position = target;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Fills the buffer from the position on, unless the file ends.
     *
     * @return the number of bytes; -1: the position is at the end or behind it
     */
    public synchronized int read(ByteBuffer target) throws IOException {
        requireOpen();
        if (!target.hasRemaining()) {
            return 0;
        }
        int read = fromBuffer(target, position);
        if (target.remaining() >= BUFFER_BYTES) {
            read += Math.max(0, reader.read(target, position + read));
        } else if (target.hasRemaining()) {
            fill(position + read);
            read += fromBuffer(target, position + read);
        }
        position += read;
        return read == 0 ? -1 : read;
    }

    /** Copies what is kept from this position on; returns the number of bytes. */
    @GuardedBy("this")
    private int fromBuffer(ByteBuffer target, long from) {
        ByteBuffer kept = buffer;
        if (kept == null || from < bufferStart || from >= bufferStart + kept.limit()) {
            return 0;
        }
        int at = (int) (from - bufferStart);
        int count = Math.min(kept.limit() - at, target.remaining());
        target.put(kept.slice(at, count));
        return count;
    }

    /** Keeps the bytes from this position on. */
    @GuardedBy("this")
    private void fill(long from) throws IOException {
        ByteBuffer kept = buffer == null ? ByteBuffer.allocate(BUFFER_BYTES) : buffer.clear();
        buffer = null;
        int unused = reader.read(kept, from);
        bufferStart = from;
        buffer = kept.flip();
    }

    /** Skips bytes; returns how many, fewer at the end of the file. */
    public synchronized long skip(long count) throws IOException {
        requireOpen();
        long step = Math.max(0, Math.min(count, sizeBytes() - position));
        position += step;
        return step;
    }

    /**
     * Fills the buffer from a position on. The position of this file stays.
     *
     * @throws EOFException when the file ends before; the content of the buffer is undefined then
     */
    public void readFully(ByteBuffer target, long from) throws IOException {
        requireOpen();
        requireInFile(new ByteRange(from, target.remaining()));
        if (target.hasRemaining()) {
            Integer unused = CallResults.await(file.read(target, from));
        }
    }

    private void requireInFile(ByteRange range) throws EOFException {
        if (range.end() > sizeBytes()) {
            throw new EOFException(file.version().file() + ": " + range + " (expected: at most " + sizeBytes()
                    + " bytes in the file)");
        }
    }

    /**
     * Reads ranges, several at once. Ranges near each other are read together.
     *
     * @param wanted in any order
     * @param buffers called by threads of the client, too
     * @throws EOFException when a range reaches beyond the end of the file; nothing is read then
     * @throws IllegalArgumentException when two ranges overlap; nothing is read then
     */
    public void read(List<RequestedRange> wanted, BufferSource buffers, RangeLimits limits) throws IOException {
        requireOpen();
        for (RequestedRange each : wanted) {
            requireInFile(each.range());
        }
        RangeReads.Shape unused = RangeReads.read(file, wanted, buffers, limits);
    }

    /** Closes the file; reads under way fail. Idempotent. */
    @Override
    public void close() {
        closed = true;
        reader.close();
    }
}
