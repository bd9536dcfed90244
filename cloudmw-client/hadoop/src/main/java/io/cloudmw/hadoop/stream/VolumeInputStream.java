package io.cloudmw.hadoop.stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.channel.FileChannels;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.connector.BufferSource;
import io.cloudmw.connector.RangeReads;
import io.cloudmw.connector.RequestedRange;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.hadoop.volume.HadoopErrors;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.jspecify.annotations.Nullable;

/**
 * A stream over one version of a file, whatever happens to its path. Reads fill their buffers unless the file ends. A
 * seek costs nothing until the next read. The file is opened when its first byte is needed, if its length is known
 * before. Safe for any thread: reads at the position take turns, reads of given positions run at once. Futures of
 * vectored reads are completed by threads of the client, which their callbacks must not block.
 */
public final class VolumeInputStream extends FSInputStream
        implements ByteBufferReadable,
                ByteBufferPositionedReadable,
                CanUnbuffer,
                StreamCapabilities,
                IOStatisticsSource {
    /** The footers of tables are rarely longer. */
    private static final int FOOTER_BYTES = 64 << 10;

    private final Path path;
    private final Opening opening;
    private final FileChannels channels;
    private final InputOptions options;
    private final StreamCounters counters;

    @GuardedBy("this")
    private long position;

    @GuardedBy("this")
    private byte @Nullable [] buffer;

    @GuardedBy("this")
    private long bufferStart;

    @GuardedBy("this")
    private int buffered;

    private final Object fileLock = new Object();

    @GuardedBy("fileLock")
    private @Nullable OpenedFile opened;

    @GuardedBy("fileLock")
    private Optional<VersionId> version;

    private volatile OptionalLong length;
    private volatile boolean closed;

    /** Opens the file. */
    @FunctionalInterface
    public interface Opening {
        /**
         * Opens the file; the stream closes it.
         *
         * @param version empty: the current one
         */
        CompletableFuture<RemoteFile> open(Optional<VersionId> version);
    }

    /**
     * A stream over a file that is opened later.
     *
     * @param version the version that is read; empty: the one that is current when the file is opened
     * @param length of the file, in bytes
     * @param channels read ahead; not closed with this
     */
    public VolumeInputStream(
            Path path,
            Opening opening,
            Optional<VersionId> version,
            OptionalLong length,
            FileChannels channels,
            InputOptions options,
            StreamCounters counters) {
        this.path = path;
        this.opening = opening;
        this.version = version;
        this.length = length;
        this.channels = channels;
        this.options = options;
        this.counters = counters;
    }

    /** Gives the stream its open file, before its first read. */
    public VolumeInputStream with(RemoteFile file) {
        synchronized (fileLock) {
            accept(file);
        }
        return this;
    }

    @GuardedBy("fileLock")
    private OpenedFile accept(RemoteFile file) {
        OpenedFile accepted = OpenedFile.of(file, channels);
        opened = accepted;
        version = Optional.of(file.version().id());
        length = OptionalLong.of(file.version().sizeBytes());
        counters.add(StreamStatisticNames.STREAM_READ_OPENED, 1);
        return accepted;
    }

    private OpenedFile file() throws IOException {
        synchronized (fileLock) {
            requireOpen();
            OpenedFile present = opened;
            return present == null ? accept(HadoopErrors.await(path, opening.open(version))) : present;
        }
    }

    private long length() throws IOException {
        OptionalLong known = length;
        return known.isPresent() ? known.getAsLong() : file().file().version().sizeBytes();
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new PathIOException(path.toString(), FSExceptionMessages.STREAM_IS_CLOSED);
        }
    }

    // ---- reads of given positions

    /** Fills the buffer, or reads to the end of the file; -1: the position is at the end or behind it. */
    private int readAt(ByteBuffer target, long from) throws IOException {
        requireOpen();
        if (!target.hasRemaining()) {
            return 0;
        }
        if (from >= length()) {
            return -1;
        }
        OpenedFile file = file();
        try {
            return options.policy() == ReadPolicy.RANDOM
                    ? HadoopErrors.await(path, file.file().read(target, from))
                    : HadoopErrors.translating(path, () -> file.readAhead(target, from));
        } catch (IOException e) {
            counters.add(StreamStatisticNames.STREAM_READ_EXCEPTIONS, 1);
            throw e;
        }
    }

    private int counted(int read) {
        counters.read(read);
        return read;
    }

    @Override
    public int read(long from, byte[] target, int offset, int count) throws IOException {
        validatePositionedReadArgs(from, target, offset, count);
        return counted(readAt(ByteBuffer.wrap(target, offset, count), from));
    }

    @Override
    public int read(long from, ByteBuffer target) throws IOException {
        requirePositive(from);
        return counted(readAt(target, from));
    }

    private static void requirePositive(long from) throws EOFException {
        if (from < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + from);
        }
    }

    @Override
    public void readFully(long from, byte[] target, int offset, int count) throws IOException {
        validatePositionedReadArgs(from, target, offset, count);
        readFully(from, ByteBuffer.wrap(target, offset, count));
    }

    @Override
    public void readFully(long from, ByteBuffer target) throws IOException {
        requirePositive(from);
        int count = target.remaining();
        int read = counted(readAt(target, from));
        if (read < count) {
            throw new EOFException(path + ": " + FSExceptionMessages.EOF_IN_READ_FULLY + ": " + count + " bytes from "
                    + from + " (expected: at most " + length() + " bytes in the file)");
        }
    }

    // ---- reads at the position

    @Override
    public synchronized void seek(long target) throws IOException {
        requireOpen();
        requirePositive(target);
        if (target > length()) {
            throw new EOFException(FSExceptionMessages.CANNOT_SEEK_PAST_EOF + ": " + path + ": " + target
                    + " (expected: <= " + length() + ")");
        }
        if (target != position) {
            counters.add(StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS, 1);
            position = target;
        }
    }

    @Override
    public synchronized long getPos() {
        return position;
    }

    @Override
    public boolean seekToNewSource(long target) {
        return false; // the client chooses among all replicas for each read
    }

    @Override
    public synchronized int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, target.length);
        return read(ByteBuffer.wrap(target, offset, count));
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        requireOpen();
        if (!target.hasRemaining()) {
            return 0;
        }
        int read = fromBuffer(target, position);
        if (target.hasRemaining()) {
            if (target.remaining() >= options.bufferBytes()) {
                read += Math.max(0, readAt(target, position + read));
            } else if (fill(position + read)) {
                read += fromBuffer(target, position + read);
            }
        }
        position += read;
        return counted(read == 0 ? -1 : read);
    }

    /** Copies what is kept from this position on; returns the number of bytes. */
    @GuardedBy("this")
    private int fromBuffer(ByteBuffer target, long from) {
        byte[] bytes = buffer;
        if (bytes == null || from < bufferStart || from >= bufferStart + buffered) {
            return 0;
        }
        int at = (int) (from - bufferStart);
        int count = Math.min(buffered - at, target.remaining());
        target.put(bytes, at, count);
        return count;
    }

    /**
     * Keeps the bytes from this position on; returns false at the end of the file. The end of a file that is read at
     * random is kept whole, because footers are read from there in two steps: their length, then the rest.
     */
    @GuardedBy("this")
    private boolean fill(long from) throws IOException {
        if (from >= length()) {
            return false;
        }
        long footer = Math.max(0, length() - FOOTER_BYTES);
        boolean inFooter = options.policy() == ReadPolicy.RANDOM && from >= footer;
        long start = inFooter ? footer : from;
        int room = inFooter ? (int) (length() - footer) : options.bufferBytes();
        byte[] bytes = buffer == null || buffer.length < room ? new byte[room] : buffer;
        buffer = null; // a read that fails may still write to its buffer
        buffered = 0;
        int read = readAt(ByteBuffer.wrap(bytes), start);
        buffer = bytes;
        bufferStart = start;
        buffered = Math.max(0, read);
        return buffered > from - start;
    }

    @Override
    public synchronized long skip(long count) throws IOException {
        requireOpen();
        long step = Math.max(0, Math.min(count, length() - position));
        position += step;
        return step;
    }

    @Override
    public synchronized int available() throws IOException {
        requireOpen();
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, length() - position));
    }

    // ---- vectored reads

    @Override
    public int minSeekForVectorReads() {
        return options.ranges().mergeBytes();
    }

    @Override
    public int maxReadSizeForVectorReads() {
        return options.ranges().largestBytes();
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocating) throws IOException {
        readVectored(ranges, allocating, buffer -> {});
    }

    /**
     * Reads ranges, which must not overlap, at once. Ranges near each other are read together.
     *
     * @param allocating called by threads of the client, too
     * @throws EOFException when a range reaches beyond the end of the file
     */
    @Override
    public void readVectored(
            List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocating, Consumer<ByteBuffer> releasing)
            throws IOException {
        requireOpen();
        BufferSource buffers = new BufferSource(Objects.requireNonNull(allocating), Objects.requireNonNull(releasing));
        List<? extends FileRange> sorted = VectoredReadUtils.validateAndSortRanges(ranges, Optional.of(length()));
        List<RequestedRange> requested = new ArrayList<>(sorted.size());
        long bytes = 0;
        for (FileRange range : sorted) {
            requested.add(requested(range));
            bytes += range.getLength();
        }
        counters.add(StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS, 1);
        counters.add(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES, sorted.size());
        counters.readBytes(bytes);
        RangeReads.Shape shape = RangeReads.read(file().file(), requested, buffers, options.ranges());
        counters.add(StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES, shape.reads());
        counters.add(StreamStatisticNames.STREAM_READ_VECTORED_READ_BYTES_DISCARDED, shape.gapBytes());
    }

    /** Gives a range its future, which fails with the exceptions of Hadoop. */
    private RequestedRange requested(FileRange range) {
        CompletableFuture<ByteBuffer> bytes = new CompletableFuture<>();
        CompletableFuture<ByteBuffer> data = new CompletableFuture<>();
        range.setData(data);
        var unused = bytes.whenComplete((buffer, failure) -> {
            if (failure == null) {
                data.complete(buffer);
            } else {
                counters.add(StreamStatisticNames.STREAM_READ_EXCEPTIONS, 1);
                data.completeExceptionally(HadoopErrors.of(range, failure));
            }
        });
        return new RequestedRange(new ByteRange(range.getOffset(), range.getLength()), bytes);
    }

    // ---- state

    @Override
    public void unbuffer() {
        synchronized (this) {
            buffer = null;
            buffered = 0;
        }
        counters.add(StreamStatisticNames.STREAM_READ_UNBUFFERED, 1);
        release();
    }

    private void release() {
        OpenedFile present;
        synchronized (fileLock) {
            present = opened;
            opened = null;
        }
        if (present != null) {
            present.close();
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ENGLISH)) {
            case StreamCapabilities.UNBUFFER,
                    StreamCapabilities.READBYTEBUFFER,
                    StreamCapabilities.PREADBYTEBUFFER,
                    StreamCapabilities.IOSTATISTICS,
                    StreamCapabilities.IOSTATISTICS_CONTEXT,
                    StreamCapabilities.VECTOREDIO -> true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return counters.store();
    }

    /** Closes the file; reads under way fail. Idempotent. */
    @Override
    public void close() throws IOException {
        closed = true;
        release();
        counters.closed();
    }

    @Override
    public String toString() {
        return "VolumeInputStream{" + path + ", " + counters.store() + "}";
    }
}
