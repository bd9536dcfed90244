package io.cloudmw.helper.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.store.ChunkReader;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A reader of a range that another helper sends. The credit it grants bounds the bytes that were not read yet. */
final class RemoteReader implements ChunkReader, BulkStreamListener {
    /** Bytes granted and not read yet. */
    static final int WINDOW_BYTES = 512 * 1024;

    private static final long SILENCE_SECONDS = 30;

    private final String what;
    private final long length;
    private final Runnable closed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<ByteBuf> arrived = new ArrayDeque<>();

    @GuardedBy("lock")
    private @Nullable BulkStream stream;

    @GuardedBy("lock")
    private @Nullable CloudMwException failure;

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private long given;

    @GuardedBy("lock")
    private long granted;

    /** @param closed run each time the reader is closed; idempotent */
    RemoteReader(String what, ByteRange range, Runnable closed) {
        this.what = what;
        this.closed = closed;
        this.length = range.length();
    }

    void open(BulkConnection connection, byte[] request) {
        BulkStream opened = connection.open(request, this);
        lock.lock();
        try {
            stream = opened;
            grant(Math.min(WINDOW_BYTES, length));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(ByteBuffer target) throws CloudMwException {
        lock.lock();
        try {
            if (given == length && failure == null) {
                return -1;
            }
            ByteBuf next = await();
            int count = Math.min(next.readableBytes(), target.remaining());
            ByteBuffer piece = target.slice().limit(count);
            next.readBytes(piece);
            target.position(target.position() + count);
            given += count;
            if (!next.isReadable()) {
                arrived.remove();
                next.release();
            }
            grant(Math.min(count, length - granted));
            return count;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private ByteBuf await() throws CloudMwException {
        long left = TimeUnit.SECONDS.toNanos(SILENCE_SECONDS);
        while (true) {
            if (failure != null) {
                throw failure;
            }
            ByteBuf next = arrived.peek();
            if (next != null) {
                return next;
            }
            if (ended) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        what + ": the helper ended the stream after " + given + " of " + length + " bytes");
            }
            if (left <= 0) {
                throw new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE, what + ": no bytes arrived for " + SILENCE_SECONDS + " s");
            }
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CloudMwException(ErrorCode.CANCELLED, what + ": interrupted", e);
            }
        }
    }

    @GuardedBy("lock")
    private void grant(long bytes) {
        if (bytes > 0 && stream != null) {
            granted += bytes;
            stream.grant(bytes);
        }
    }

    @Override
    public void data(ByteBuf payload, int crc32c) {
        lock.lock();
        try {
            if (failure != null) {
                payload.release();
            } else {
                arrived.add(payload);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(byte[] trailer) {
        lock.lock();
        try {
            ended = true;
            if (stream != null) {
                stream.end(new byte[0]);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void granted() {
        // This side sends nothing.
    }

    @Override
    public void failed(CloudMwException cause) {
        fail(
                cause.code() == ErrorCode.HELPER_UNAVAILABLE
                        ? new CloudMwException(ErrorCode.STORE_UNAVAILABLE, what + ": " + cause.getMessage(), cause)
                        : cause.during(what));
    }

    /** Fails the reader and releases the bytes that were not read. */
    private void fail(CloudMwException cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
            arrived.forEach(ByteBuf::release);
            arrived.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        fail(new CloudMwException(ErrorCode.CANCELLED, what + ": closed"));
        lock.lock();
        try {
            if (stream != null && !ended) {
                stream.reset(ErrorCode.CANCELLED, "the reader is closed");
            }
        } finally {
            lock.unlock();
            closed.run();
        }
    }
}
