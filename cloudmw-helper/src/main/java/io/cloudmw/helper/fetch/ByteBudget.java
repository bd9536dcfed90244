package io.cloudmw.helper.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A number of bytes that may be in use at once. Safe for any thread. */
public final class ByteBudget {
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition freed = lock.newCondition();
    private final long limitBytes;

    @GuardedBy("lock")
    private long usedBytes;

    public ByteBudget(long limitBytes) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException("limitBytes: " + limitBytes + " (expected: >= 0)");
        }
        this.limitBytes = limitBytes;
    }

    /** Takes {@code bytes} now, or nothing. */
    public boolean tryTake(long bytes) {
        lock.lock();
        try {
            if (bytes > limitBytes - usedBytes) {
                return false;
            }
            usedBytes += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes {@code bytes}, waiting at most {@code timeoutNanos} for others to give some back. Does not wait for what
     * can never be had.
     *
     * @return whether it was taken
     */
    public boolean take(long bytes, long timeoutNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeoutNanos;
            while (bytes > limitBytes - usedBytes) {
                if (left <= 0 || bytes > limitBytes) {
                    return false;
                }
                left = freed.awaitNanos(left);
            }
            usedBytes += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what was taken. */
    public void giveBack(long bytes) {
        lock.lock();
        try {
            usedBytes -= bytes;
            if (usedBytes < 0) {
                throw new IllegalStateException("gave back " + -usedBytes + " bytes more than were taken");
            }
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes in use. */
    public long usedBytes() {
        lock.lock();
        try {
            return usedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes that may be in use. */
    public long limitBytes() {
        return limitBytes;
    }
}
