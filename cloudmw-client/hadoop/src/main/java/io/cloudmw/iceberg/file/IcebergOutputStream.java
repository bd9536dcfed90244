package io.cloudmw.iceberg.file;

import io.cloudmw.client.FileOperations;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.connector.CallResults;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.Attributes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Objects;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.FileIOMetricsContext;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.metrics.Counter;
import org.apache.iceberg.metrics.MetricsContext.Unit;
import org.jspecify.annotations.Nullable;

/**
 * A stream that writes a new version of a file, which appears, whole, when the stream is closed. Bytes beyond the buffer
 * are stored while they are written; when the client stores too many files already, they are kept on the local disk
 * until then. A stream with a failed write leaves the location as it was. For one thread.
 */
final class IcebergOutputStream extends PositionOutputStream {
    private final String location;
    private final FilePath file;
    private final StoredFiles files;
    private final boolean createNew;
    private final Counter writeBytes;
    private final Counter writeOperations;
    private final byte[] buffer;
    private int buffered;
    private long position;
    private @Nullable FileContentSink sink;
    private @Nullable IOException failure;
    private boolean closed;

    /** @param createNew whether there must be no file when the stream is closed */
    IcebergOutputStream(String location, FilePath file, StoredFiles files, boolean createNew) {
        this.location = location;
        this.file = file;
        this.files = files;
        this.createNew = createNew;
        this.buffer = new byte[files.writes().bufferBytes()];
        this.writeBytes = files.metrics().counter(FileIOMetricsContext.WRITE_BYTES, Unit.BYTES);
        this.writeOperations = files.metrics().counter(FileIOMetricsContext.WRITE_OPERATIONS);
    }

    /** The number of bytes written. */
    @Override
    public long getPos() {
        return position;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        Objects.checkFromIndexSize(offset, count, source.length);
        if (closed) {
            throw new IOException(location + ": the stream is closed", new ClosedChannelException());
        }
        if (failure != null) {
            throw new IOException(location + ": an earlier write has failed", failure);
        }
        try {
            if (count > buffer.length - buffered) {
                passOn(buffer, 0, buffered);
                buffered = 0;
            }
            if (count >= buffer.length) {
                passOn(source, offset, count);
            } else {
                System.arraycopy(source, offset, buffer, buffered, count);
                buffered += count;
            }
        } catch (IOException e) {
            failure = e;
            throw IcebergErrors.ofStream(location, e);
        }
        position += count;
        writeOperations.increment();
        writeBytes.increment(count);
    }

    private void passOn(byte[] source, int offset, int count) throws IOException {
        if (count > 0) {
            FileContentSink open = sink == null ? open() : sink;
            sink = open;
            open.write(source, offset, count);
        }
    }

    private FileContentSink open() throws IOException {
        try {
            return new StreamedSink(files.client().channels().newOutputStream(file, createNew, Attributes.NONE));
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.OVERLOADED) {
                throw e;
            }
            return new StagedSink(operations(), file, options(), files.writes().stagingBytes());
        }
    }

    private FileOperations operations() {
        return files.client().files();
    }

    private PutOptions options() {
        return createNew ? PutOptions.defaults().ifAbsent() : PutOptions.defaults();
    }

    /**
     * Makes the version visible. Idempotent.
     *
     * @throws AlreadyExistsException when the stream was to create the file, and another one did
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        FileContentSink open = sink;
        try {
            if (failure != null) {
                throw new IOException(location + ": nothing is written: an earlier write has failed", failure);
            }
            if (open == null) {
                PutReceipt unused = CallResults.await(
                        operations().put(new ByteArrayInputStream(buffer, 0, buffered), buffered, file, options()));
            } else {
                open.write(buffer, 0, buffered);
                open.commit();
            }
        } catch (IOException e) {
            if (createNew && isExisting(e)) {
                throw IcebergErrors.exists(location, e);
            }
            throw IcebergErrors.ofStream(location, e);
        } finally {
            if (open != null) {
                open.abort(); // no effect after a commit
            }
        }
    }

    private static boolean isExisting(IOException failure) {
        return failure instanceof FileAlreadyExistsException
                || (failure instanceof CloudMwException known && known.code() == ErrorCode.CONFLICT);
    }

    @Override
    public String toString() {
        return location;
    }
}
