package io.cloudmw.client.channel;

import io.cloudmw.client.channel.lock.ChannelLock;
import io.cloudmw.client.channel.lock.ChannelLocks;
import io.cloudmw.client.channel.lock.LockOwner;
import io.cloudmw.client.channel.lock.LockedRange;
import io.cloudmw.client.lock.RemoteLock;
import io.cloudmw.client.rpc.FileErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FileChannel} over a file of a volume. Positional reads of a channel that only reads run in parallel; other
 * operations take turns. An interrupted channel gives up what was written.
 */
final class RemoteFileChannel extends FileChannel implements LockOwner {
    private static final int COPY_BYTES = PieceLayout.PIECE_BYTES;

    private final FilePath file;
    private final OpenMode mode;
    private final FileContent content;
    private final ChannelLocks locks;
    private final long mapLimitBytes;
    private final ReentrantLock turn = new ReentrantLock();
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    /** Read and changed by operations that run {@link #inTurn}. */
    private long position;

    /**
     * @param content closed with this
     * @param locks closed with this
     * @param mapLimitBytes largest number of bytes that {@link #map} copies to the local disk
     */
    RemoteFileChannel(FilePath file, OpenMode mode, FileContent content, ChannelLocks locks, long mapLimitBytes) {
        this.file = file;
        this.mode = mode;
        this.content = content;
        this.locks = locks;
        this.mapLimitBytes = mapLimitBytes;
    }

    /** An operation of the channel. */
    private interface Operation<T> {
        T run() throws IOException;
    }

    /** Runs an operation so that closing and interruption end it, as the JDK's channels do. */
    private <T> T interruptibly(Operation<T> operation) throws IOException {
        requireOpen();
        boolean told = false; // whether the exception of an operation that failed is known
        inside.add(Thread.currentThread());
        try {
            begin();
            T result = operation.run();
            told = true;
            return result;
        } catch (ClosedChannelException e) {
            throw e;
        } catch (InterruptedIOException e) {
            told = true;
            throw closedByInterrupt(e);
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted()) {
                told = true;
                throw closedByInterrupt(e);
            }
            throw isOpen() || e.code() != ErrorCode.CANCELLED
                    ? FileErrors.of(file.toString(), e)
                    : (IOException) new AsynchronousCloseException().initCause(e);
        } finally {
            inside.remove(Thread.currentThread());
            end(told);
        }
    }

    /**
     * Closes the channel of an interrupted operation. The JDK does so itself, unless the operation used another
     * interruptible channel meanwhile: then its note of this one is gone.
     */
    private IOException closedByInterrupt(IOException cause) throws IOException {
        close();
        return (IOException) new ClosedByInterruptException().initCause(cause);
    }

    private <T> T inTurn(Operation<T> operation) throws IOException {
        return interruptibly(() -> {
            turn.lock();
            try {
                requireOpen();
                return operation.run();
            } finally {
                turn.unlock();
            }
        });
    }

    /** Runs an operation that changes the file; it fails when a lock of the channel was lost. */
    private <T> T inWritingTurn(Operation<T> operation) throws IOException {
        return inTurn(() -> {
            locks.requireHeld();
            return operation.run();
        });
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void requireReadable() {
        if (!mode.read()) {
            throw new NonReadableChannelException();
        }
    }

    private void requireWritable() {
        if (!mode.write()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requireNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 0)");
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        requireOpen();
        requireReadable();
        return inTurn(() -> {
            int read = content.read(target, position);
            position += Math.max(0, read);
            return read;
        });
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        requireOpen();
        requireReadable();
        return inTurn(() -> {
            long sum = 0;
            boolean hasRoom = false;
            for (int i = offset; i < offset + length; i++) {
                hasRoom |= targets[i].hasRemaining();
                int read = content.read(targets[i], position);
                if (read < 0) {
                    return sum == 0 ? -1L : sum;
                }
                position += read;
                sum += read;
            }
            return hasRoom && sum == 0 ? -1L : sum;
        });
    }

    @Override
    public int read(ByteBuffer target, long at) throws IOException {
        requireNotNegative("position", at);
        requireReadable();
        return mode.write() ? inTurn(() -> content.read(target, at)) : interruptibly(() -> content.read(target, at));
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        requireWritable();
        return inWritingTurn(() -> writeHere(source));
    }

    private int writeHere(ByteBuffer source) throws IOException {
        if (mode.append()) {
            position = content.sizeBytes();
        }
        int written = content.write(source, position);
        position += written;
        return written;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        requireOpen();
        requireWritable();
        return inWritingTurn(() -> {
            long sum = 0;
            for (int i = offset; i < offset + length; i++) {
                sum += writeHere(sources[i]);
            }
            return sum;
        });
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requireNotNegative("position", at);
        requireOpen();
        requireWritable();
        return inWritingTurn(() -> content.write(source, mode.append() ? content.sizeBytes() : at));
    }

    @Override
    public long position() throws IOException {
        return inTurn(() -> mode.append() ? content.sizeBytes() : position);
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requireOpen();
        requireNotNegative("position", newPosition);
        return inTurn(() -> {
            position = newPosition;
            return this;
        });
    }

    @Override
    public long size() throws IOException {
        return inTurn(content::sizeBytes);
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requireOpen();
        requireNotNegative("size", size);
        requireWritable();
        return inWritingTurn(() -> {
            content.truncate(size);
            position = Math.min(position, size);
            return this;
        });
    }

    @Override
    public void force(boolean metaData) throws IOException {
        if (mode.write()) {
            RemoteFileChannel unused = inWritingTurn(() -> {
                content.force();
                return this;
            });
        } else {
            requireOpen();
        }
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        requireOpen();
        requireReadable();
        requireNotNegative("position", from);
        requireNotNegative("count", count);
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, count));
        long sum = 0;
        while (sum < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - sum));
            if (read(buffer, from + sum) < 0) {
                break;
            }
            buffer.flip();
            int filled = buffer.remaining();
            while (buffer.hasRemaining()) {
                int written = target.write(buffer);
                if (written == 0) { // a target that does not block is full
                    return sum + filled - buffer.remaining();
                }
            }
            sum += filled;
        }
        return sum;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
        requireOpen();
        requireWritable();
        requireNotNegative("position", at);
        requireNotNegative("count", count);
        if (at > size()) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, count));
        long sum = 0;
        while (sum < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - sum));
            if (source.read(buffer) <= 0) {
                break;
            }
            sum += write(buffer.flip(), at + sum);
        }
        return sum;
    }

    /**
     * Copies a part of the file to a nameless local file and maps that.
     *
     * @throws UnsupportedOperationException for another mode than {@code READ_ONLY}
     * @throws IOException when the part is longer than the staging limit of the options
     */
    @Override
    public MappedByteBuffer map(MapMode mapMode, long from, long length) throws IOException {
        requireOpen();
        requireReadable();
        requireNotNegative("position", from);
        requireNotNegative("size", length);
        if (mapMode != MapMode.READ_ONLY) {
            throw new UnsupportedOperationException("map: " + mapMode + " (expected: READ_ONLY)");
        }
        if (from + length > size()) {
            throw new IOException(file + ": cannot map " + length + " bytes at " + from + ", the file has " + size());
        }
        if (length > Math.min(mapLimitBytes, Integer.MAX_VALUE)) {
            throw new IOException(file + ": cannot map " + length + " bytes (expected: <= "
                    + Math.min(mapLimitBytes, Integer.MAX_VALUE) + ", ChannelOptions.stagingBytes)");
        }
        try (FileChannel copy = UnlinkedFile.open()) {
            long unused = transferTo(from, length, copy);
            return copy.map(MapMode.READ_ONLY, 0, length);
        }
    }

    @Override
    public FileLock lock(long from, long length, boolean shared) throws IOException {
        LockedRange range = lockable(from, length, shared);
        try {
            return interruptibly(() -> lock(range, true))
                    .orElseThrow(() -> new AssertionError("lock without a result"));
        } catch (ClosedByInterruptException e) {
            throw (IOException) new FileLockInterruptionException().initCause(e);
        }
    }

    @Override
    public @Nullable FileLock tryLock(long from, long length, boolean shared) throws IOException {
        LockedRange range = lockable(from, length, shared);
        return interruptibly(() -> lock(range, false)).orElse(null);
    }

    private LockedRange lockable(long from, long length, boolean shared) throws ClosedChannelException {
        LockedRange range = new LockedRange(from, length, shared);
        requireOpen();
        if (shared) {
            requireReadable();
        } else {
            requireWritable();
        }
        return range;
    }

    /** Gets a lock, then goes on from the version that the last holder left. */
    private Optional<ChannelLock> lock(LockedRange range, boolean waits) throws IOException {
        Optional<RemoteLock> granted = locks.lock(range, waits);
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        boolean done = false;
        try {
            ChannelLock lock = inTurn(() -> {
                content.refresh();
                return new ChannelLock(this, this, range, granted.get());
            });
            done = true;
            return Optional.of(lock);
        } finally {
            if (!done && isOpen()) {
                locks.release(granted.get());
            }
        }
    }

    /** The lock stays when what was written under it cannot be stored: nothing is stored without its lock. */
    @Override
    public void release(RemoteLock lock) throws IOException {
        if (mode.write() && lock.isHeld() && !locks.isAnyLost()) {
            force(true);
        }
        ChannelLocks unused = interruptibly(() -> {
            locks.release(lock);
            return locks;
        });
    }

    /** Called once; by another thread when an operation under way is interrupted. */
    @Override
    protected void implCloseChannel() throws IOException {
        locks.endWaits();
        boolean interrupted = inside.stream().anyMatch(Thread::isInterrupted);
        if (interrupted || !mode.write()) {
            content.discard();
            locks.close();
            return;
        }
        turn.lock();
        try {
            content.finish();
        } catch (CloudMwException e) {
            throw FileErrors.of(file.toString(), e);
        } finally {
            turn.unlock();
            locks.close();
        }
    }
}
