package io.cloudmw.iceberg.file;

import io.cloudmw.connector.BufferSource;
import io.cloudmw.connector.RequestedRange;
import io.cloudmw.connector.SeekableFile;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apache.iceberg.io.FileIOMetricsContext;
import org.apache.iceberg.io.FileRange;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.metrics.Counter;
import org.apache.iceberg.metrics.MetricsContext.Unit;

/**
 * A stream over one version of a file, whatever happens to its location. Reads fill their buffers unless the file ends.
 * Reads of given positions leave the position of the stream as it is. Safe for any thread.
 */
final class IcebergInputStream extends SeekableInputStream implements RangeReadable {
    private final String location;
    private final SeekableFile file;
    private final StoredFiles files; // which refers to the client, so that nothing closes it
    private final Counter readBytes;
    private final Counter readOperations;

    /** @param file closed with this */
    IcebergInputStream(String location, SeekableFile file, StoredFiles files) {
        this.location = location;
        this.file = file;
        this.files = files;
        this.readBytes = files.metrics().counter(FileIOMetricsContext.READ_BYTES, Unit.BYTES);
        this.readOperations = files.metrics().counter(FileIOMetricsContext.READ_OPERATIONS);
    }

    private interface Step<T> {
        T take() throws IOException;
    }

    private <T> T attempt(Step<T> step) throws IOException {
        try {
            return step.take();
        } catch (IOException e) {
            throw IcebergErrors.ofStream(location, e);
        }
    }

    private int counted(long bytes) {
        readOperations.increment();
        if (bytes > 0) {
            readBytes.increment(bytes);
        }
        return (int) bytes;
    }

    @Override
    public long getPos() {
        return file.position();
    }

    @Override
    public void seek(long newPosition) throws IOException {
        if (newPosition < 0) {
            throw new IllegalArgumentException(location + ": position: " + newPosition + " (expected: >= 0)");
        }
        file.seek(newPosition);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, target.length);
        return counted(attempt(() -> file.read(ByteBuffer.wrap(target, offset, count))));
    }

    @Override
    public long skip(long count) throws IOException {
        return file.skip(count);
    }

    @Override
    public int available() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, file.sizeBytes() - file.position()));
    }

    @Override
    public void readFully(long from, byte[] target, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, target.length);
        int unused = attempt(() -> {
            file.readFully(ByteBuffer.wrap(target, offset, count), from);
            return counted(count);
        });
    }

    @Override
    public int readTail(byte[] target, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, target.length);
        int read = (int) Math.min(count, file.sizeBytes());
        readFully(file.sizeBytes() - read, target, offset, read);
        return read;
    }

    /**
     * Reads ranges, several at once; ranges near each other are read together. Futures are completed by threads of the
     * client, which their callbacks must not block.
     *
     * @param allocate called by threads of the client, too
     * @throws java.io.EOFException when a range reaches beyond the end of the file; nothing is read then
     * @throws IllegalArgumentException when two ranges overlap; nothing is read then
     */
    @Override
    public void readVectored(List<FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        List<RequestedRange> wanted = new ArrayList<>(ranges.size());
        long bytes = 0;
        for (FileRange range : ranges) {
            wanted.add(new RequestedRange(new ByteRange(range.offset(), range.length()), range.byteBuffer()));
            bytes += range.length();
        }
        BufferSource buffers = new BufferSource(allocate, buffer -> {});
        long sum = bytes;
        int unused = attempt(() -> {
            file.read(wanted, buffers, files.ranges());
            return counted(sum);
        });
    }

    /** Closes the file; reads under way fail. Idempotent. */
    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public String toString() {
        return location;
    }
}
