package io.cloudmw.client.channel;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file while it is changed: changed bytes are in a nameless local file, the others are read from the
 * base. Changes are not safe for threads; reads are, while nothing changes.
 */
final class StagedFile implements AutoCloseable {
    private final FilePath file;
    private final long limitBytes;
    private final FileChannel staged;
    private final ByteRangeSet changed = new ByteRangeSet();
    private @Nullable PieceReader base;

    /** Bytes of the base that are still part of the file. */
    private long baseBytes;

    private long sizeBytes;

    /**
     * @param base the version that is changed, closed with this; null: the file begins empty
     * @param limitBytes largest number of changed bytes
     */
    StagedFile(FilePath file, @Nullable PieceReader base, long limitBytes) throws IOException {
        this.file = file;
        this.limitBytes = limitBytes;
        this.staged = UnlinkedFile.open();
        this.base = base;
        this.sizeBytes = base == null ? 0 : base.file().version().sizeBytes();
        this.baseBytes = sizeBytes;
    }

    FilePath file() {
        return file;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** The version that is changed; empty: the file begins empty. */
    Optional<FileVersion> base() {
        PieceReader reader = base;
        return reader == null ? Optional.empty() : Optional.of(reader.file().version());
    }

    /** Returns whether the content differs from the base; always without one. */
    boolean isChanged() {
        return !changed.isEmpty() || base().map(FileVersion::sizeBytes).orElse(-1L) != sizeBytes;
    }

    /** Returns whether the content is the base, or empty without one. */
    boolean isUntouched() {
        return changed.isEmpty() && base().map(FileVersion::sizeBytes).orElse(0L) == sizeBytes;
    }

    /**
     * Fills the buffer, or reads to the end of the file.
     *
     * @return the number of bytes; -1 when the buffer has room and the file ends at or before the position
     */
    int read(ByteBuffer target, long position) throws IOException {
        if (!target.hasRemaining()) {
            return 0;
        }
        if (position >= sizeBytes) {
            return -1;
        }
        int length = (int) Math.min(target.remaining(), sizeBytes - position);
        int limit = target.limit();
        for (long at = position; at < position + length; ) {
            long end = Math.min(position + length, changed.nextChange(at));
            boolean isChanged = changed.contains(at);
            if (!isChanged && at < baseBytes) {
                end = Math.min(end, baseBytes);
            }
            target.limit(target.position() + (int) (end - at));
            if (isChanged) {
                readStaged(target, at);
            } else {
                readBase(target, at);
            }
            target.limit(limit);
            at = end;
        }
        return length;
    }

    private void readStaged(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int read = staged.read(target, at);
            if (read < 0) {
                throw new IOException(file + ": the staging file ends at " + at);
            }
            at += read;
        }
    }

    private void readBase(ByteBuffer target, long position) throws IOException {
        PieceReader reader = base;
        if (reader == null || position >= baseBytes) {
            while (target.hasRemaining()) {
                target.put((byte) 0);
            }
            return;
        }
        int unused = reader.read(target, position);
    }

    /**
     * Writes all bytes of the buffer. A position behind the end leaves zeros between.
     *
     * @throws CloudMwException {@code LOCAL_IO} when too many bytes would be staged; nothing is written then
     */
    int write(ByteBuffer source, long position) throws IOException {
        int length = source.remaining();
        if (length == 0) {
            return 0;
        }
        if (changed.bytes() + length > limitBytes) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    file + ": more than " + limitBytes
                            + " changed bytes (call force(), or raise ChannelOptions.stagingBytes)");
        }
        long at = position;
        while (source.hasRemaining()) {
            at += staged.write(source, at);
        }
        changed.add(new ByteRange(position, length));
        sizeBytes = Math.max(sizeBytes, position + length);
        return length;
    }

    /** Cuts the file; a larger size has no effect. */
    void truncate(long size) throws IOException {
        if (size >= sizeBytes) {
            return;
        }
        changed.cut(size);
        staged.truncate(size);
        baseBytes = Math.min(baseBytes, size);
        sizeBytes = size;
    }

    /** The change from the base to this content. */
    FileChange change() {
        FileVersion version = base().orElseThrow(() -> new IllegalStateException("no base"));
        List<ByteRange> written = new ArrayList<>(changed.ranges());
        // Behind what is left of the base, bytes that were never written are zeros.
        if (baseBytes < Math.min(sizeBytes, version.sizeBytes())) {
            written.add(new ByteRange(baseBytes, Math.min(sizeBytes, version.sizeBytes()) - baseBytes));
        }
        return new FileChange(version, sizeBytes, written, this::readFully);
    }

    private void readFully(ByteBuffer target, long position) throws IOException {
        int unused = read(target, position);
    }

    /** The whole content, as a stream. */
    InputStream content() {
        return new InputStream() {
            private long position;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int read = StagedFile.this.read(ByteBuffer.wrap(target, offset, length), position);
                position += Math.max(0, read);
                return read;
            }
        };
    }

    /**
     * Goes on from a version that has this content: nothing is changed any more.
     *
     * @param committed closed with this
     */
    void rebase(PieceReader committed) throws IOException {
        PieceReader before = base;
        base = committed;
        if (before != null) {
            before.close();
        }
        changed.clear();
        staged.truncate(0);
        sizeBytes = committed.file().version().sizeBytes();
        baseBytes = sizeBytes;
    }

    @Override
    public void close() throws IOException {
        PieceReader reader = base;
        if (reader != null) {
            reader.close();
        }
        staged.close();
    }
}
