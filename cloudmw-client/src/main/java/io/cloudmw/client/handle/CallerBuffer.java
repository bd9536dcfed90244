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
    private final ByteBuffer place;

    /** Guarded by the write lock for changes, by either lock for reads. */
    private boolean ended;

    /** @param length bytes that the read will put, at most the remaining ones */
    CallerBuffer(ByteBuffer buffer, int length) {
        this.buffer = buffer;
        this.place = buffer.slice(buffer.position(), length);
    }

    /** Puts bytes; does nothing after the end of the read. */
    void put(int offset, ByteBuffer source) {
        ending.readLock().lock();
        try {
            if (!ended) {
                place.slice(offset, source.remaining()).put(source);
            }
        } finally {
            ending.readLock().unlock();
        }
    }

    /**
     * Ends a read that put all bytes: the position of the buffer is behind them then.
     *
     * @return false, and nothing changes, when the read has ended already
     */
    boolean complete() {
        return end(place.limit());
    }

    /**
     * Ends a read that failed or was given up: the position of the buffer stays. Waits for bytes that are being put.
     *
     * @return false when the read has ended already
     */
    boolean giveUp() {
        return end(0);
    }

    private boolean end(int bytes) {
        ending.writeLock().lock();
        try {
            if (ended) {
                return false;
            }
            ended = true;
            buffer.position(buffer.position() + bytes);
            return true;
        } finally {
            ending.writeLock().unlock();
        }
    }
}
