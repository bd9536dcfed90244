package io.cloudmw.core.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A limit on the bytes in use at once. Safe for any thread. */
public final class ByteBudget {
    /** The callback that makes others return bytes they can do without. Must not block. */
    @FunctionalInterface
    public interface Relief {
        /**
         * Called when a taker finds no room.
         *
         * @param bytes that it wants
         */
        void relieve(ByteBudget budget, long bytes);
    }

    /** The time between two calls of the relief while a taker waits. */
    private static final long RELIEF_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition freed = lock.newCondition();
    private final long limitBytes;
    private final Relief relief;

    @GuardedBy("lock")
    private long usedBytes;

    public ByteBudget(long limitBytes) {
        this(limitBytes, (budget, bytes) -> {});
    }

    /**
     * @param relief called before a taker is refused or waits, and now and then while it waits
     */
    public ByteBudget(long limitBytes, Relief relief) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException("limitBytes: " + limitBytes + " (expected: >= 0)");
        }
        this.limitBytes = limitBytes;
        this.relief = relief;
    }

    /** Takes {@code bytes} now, or nothing. */
    public boolean tryTake(long bytes) {
        return tryTake(bytes, 0);
    }

    /**
     * Takes {@code bytes} now, or nothing.
     *
     * @param left bytes that must be free afterwards, for more urgent takers
     */
    public boolean tryTake(long bytes, long left) {
        if (takes(bytes, left)) {
            return true;
        }
        if (bytes > limitBytes - left) {
            return false;
        }
        relief.relieve(this, bytes + left);
        return takes(bytes, left);
    }

    private boolean takes(long bytes, long left) {
        lock.lock();
        try {
            if (bytes > limitBytes - left - usedBytes) {
                return false;
            }
            usedBytes += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes {@code bytes}, waiting at most {@code timeoutNanos} for others to give some back. Does not wait for more
     * than the limit.
     *
     * @return whether the bytes were taken
     */
    public boolean take(long bytes, long timeoutNanos) throws InterruptedException {
        long left = timeoutNanos;
        while (!tryTake(bytes)) {
            if (left <= 0 || bytes > limitBytes) {
                return false;
            }
            left -= waited(bytes, Math.min(left, RELIEF_NANOS));
        }
        return true;
    }

    /** Waits until there is room, or for so long. Returns the time it took. */
    private long waited(long bytes, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (bytes > limitBytes - usedBytes && left > 0) {
                left = freed.awaitNanos(left);
            }
            return nanos - left;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back bytes that were taken. */
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

    /** The bytes in use. */
    public long usedBytes() {
        lock.lock();
        try {
            return usedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** The limit. */
    public long limitBytes() {
        return limitBytes;
    }
}
