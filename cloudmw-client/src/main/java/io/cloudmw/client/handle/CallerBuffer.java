package io.cloudmw.client.handle;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The buffer of a read, from its position on. Bytes are put by several threads at once, until the read ends; then the
 * buffer is its owner's again, and nothing changes it. Safe for any thread.
 */
final class CallerBuffer {
    private final ReadWriteLock ending = new ReentrantReadWriteLock();
    private final ByteBuffer buffer;
    private final int length;

    /** Guarded by the write lock for changes, by either lock for reads. */
    private boolean ended;

    /** @param length bytes that the read will put, at most the remaining ones */
    CallerBuffer(ByteBuffer buffer, int length) {
        this.buffer = buffer;
        this.length = length;
    }

    /** Puts bytes; does nothing after the end of the read. */
    void put(int offset, ByteBuffer source) {
        ending.readLock().lock();
        try {
            if (!ended) {
                buffer.slice(buffer.position() + offset, length - offset).put(source);
            }
        } finally {
            ending.readLock().unlock();
        }
    }

    /** Ends a read that put all bytes: the position of the buffer is behind them then. Does nothing if it had ended. */
    void complete() {
        end(length);
    }

    /** Ends a read that failed or was given up: the position of the buffer stays. Waits for bytes that are being put. */
    void giveUp() {
        end(0);
    }

    private void end(int bytes) {
        ending.writeLock().lock();
        try {
            if (!ended) {
                ended = true;
                buffer.position(buffer.position() + bytes);
            }
        } finally {
            ending.writeLock().unlock();
        }
    }
}
