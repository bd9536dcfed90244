package io.cloudmw.client.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bounded pipe from the threads that write to a stream to the put that reads it. Unlike the JDK's piped streams, it
 * waits for events instead of times and does not care which thread uses it. Safe for any thread.
 */
final class BytePipe extends InputStream {
    private final byte[] ring;

    @GuardedBy("this")
    private int first;

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private @Nullable IOException failure;

    BytePipe(int capacityBytes) {
        this.ring = new byte[capacityBytes];
    }

    /**
     * Writes all bytes; waits while the pipe is full.
     *
     * @throws IOException the failure of the pipe
     * @throws InterruptedIOException when the thread is interrupted; part of the bytes may have been written
     */
    void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            synchronized (this) {
                awaitRoom();
                int end = (first + count) % ring.length;
                int room = Math.min(ring.length - count, ring.length - end);
                int step = Math.min(room, bytes.remaining());
                bytes.get(ring, end, step);
                count += step;
                notifyAll();
            }
        }
    }

    /** Ends the stream behind the bytes written so far. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Fails the pipe: reads and writes, also those under way, throw the exception. The first failure counts. */
    synchronized void fail(IOException why) {
        if (failure == null) {
            failure = why;
        }
        notifyAll();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        awaitBytes();
        if (count == 0) {
            return -1;
        }
        int step = Math.min(length, Math.min(count, ring.length - first));
        System.arraycopy(ring, first, target, offset, step);
        first = (first + step) % ring.length;
        count -= step;
        notifyAll();
        return step;
    }

    @GuardedBy("this")
    private void awaitRoom() throws IOException {
        try {
            while (failure == null && count == ring.length) {
                wait();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        throwIfFailed();
    }

    @GuardedBy("this")
    private void awaitBytes() throws IOException {
        try {
            while (failure == null && count == 0 && !ended) {
                wait();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        throwIfFailed();
    }

    private static InterruptedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted while it waited for the pipe");
    }

    @GuardedBy("this")
    private void throwIfFailed() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }
}
