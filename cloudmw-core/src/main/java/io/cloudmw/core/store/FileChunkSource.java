package io.cloudmw.core.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A source whose chunk is at the beginning of a file, or is being written there. It reads by position, so that several
 * streams can read at once. Does not own the file. Safe for any thread.
 */
public final class FileChunkSource implements ChunkSource {
    private final FileChannel file;
    private final long length;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Bytes that streams may read. */
    @GuardedBy("lock")
    private long readable;

    @GuardedBy("lock")
    private @Nullable CloudMwException failure;

    private FileChunkSource(FileChannel file, long length, long readable) {
        this.file = file;
        this.length = length;
        this.readable = readable;
    }

    /** A chunk that the file has whole. */
    public static FileChunkSource of(FileChannel file, long length) {
        return new FileChunkSource(file, length, length);
    }

    /**
     * A chunk that is being written to the file, from its first byte on. Streams get its last byte only when the writer
     * calls {@link #complete}. So no store can have the whole chunk before the writer has accepted it.
     *
     * @param length at least 1
     */
    public static FileChunkSource arriving(FileChannel file, long length) {
        return new FileChunkSource(file, length, 0);
    }

    /** The file has so many bytes of the chunk now. */
    public void arrived(long bytes) {
        advance(Math.min(bytes, length - 1));
    }

    /** The file has the whole chunk, and its bytes are right. */
    public void complete() {
        advance(length);
    }

    private void advance(long bytes) {
        lock.lock();
        try {
            readable = Math.max(readable, bytes);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The rest of the chunk will not arrive: streams fail with this cause. */
    public void fail(CloudMwException cause) {
        lock.lock();
        try {
            failure = cause;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long length() {
        return length;
    }

    /** Returns whether streams may read all bytes. */
    boolean isComplete() {
        lock.lock();
        try {
            return readable == length;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public InputStream open() {
        return new Stream();
    }

    /** Waits for bytes after {@code position}; returns the end of those that are there. */
    private long await(long position) throws IOException {
        lock.lock();
        try {
            while (readable <= position && readable < length) {
                requireArriving();
                changed.await();
            }
            return readable;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the chunk arrived");
        } finally {
            lock.unlock();
        }
    }

    /** Reads from the file, which its owner may have closed after the chunk failed. */
    private int readFile(ByteBuffer target, long position) throws IOException {
        try {
            return file.read(target, position);
        } catch (IOException e) {
            requireArriving();
            throw e;
        }
    }

    private void requireArriving() throws CloudMwException {
        lock.lock();
        try {
            if (failure != null) {
                throw failure;
            }
        } finally {
            lock.unlock();
        }
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
            int wanted = (int) Math.min(count, await(position) - position);
            if (wanted == 0) {
                return -1;
            }
            int read = readFile(ByteBuffer.wrap(target, offset, wanted), position);
            if (read < 0) {
                throw new IOException("the file ended at " + position + " of " + length + " bytes");
            }
            position += read;
            return read;
        }
    }
}
