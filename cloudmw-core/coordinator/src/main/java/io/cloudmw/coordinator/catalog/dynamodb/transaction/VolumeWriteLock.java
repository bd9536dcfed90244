package io.cloudmw.coordinator.catalog.dynamodb.transaction;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock per volume for writes of its position, so that only other processes conflict. A thread waits at most
 * {@link #LONGEST} behind a holder whose requests stall, and not at all after that, since other volumes need the
 * threads, too. Safe for any thread.
 */
public final class VolumeWriteLock {
    /** The longest wait. A holder usually takes some tens of milliseconds. */
    static final Duration LONGEST = Duration.ofSeconds(1);

    private final Ticker ticker;

    /** The locks of all volumes that this process changed. */
    private final Map<VolumeName, VolumeLock> turns = new ConcurrentHashMap<>();

    public VolumeWriteLock(Ticker ticker) {
        this.ticker = ticker;
    }

    private final class VolumeLock {
        private final ReentrantLock lock = new ReentrantLock();

        /** The time since which the lock is held; empty: not held, or only just acquired. */
        private volatile OptionalLong takenNanos = OptionalLong.empty();

        /**
         * Waits until the holder has held the lock for {@link #LONGEST}, and at most until {@code untilNanos}. Returns
         * whether this thread holds the lock now.
         */
        boolean await(OptionalLong taken, long untilNanos) throws InterruptedException {
            long now = ticker.nanos();
            long left = untilNanos - now;
            if (taken.isPresent()) {
                left = Math.min(left, taken.getAsLong() + LONGEST.toNanos() - now);
            }
            if (!lock.tryLock(Math.max(0, left), TimeUnit.NANOSECONDS)) {
                return false;
            }
            if (lock.getHoldCount() == 1) {
                takenNanos = OptionalLong.of(ticker.nanos());
            }
            return true;
        }

        void end() {
            if (lock.getHoldCount() == 1) {
                takenNanos = OptionalLong.empty();
            }
            lock.unlock();
        }
    }

    /**
     * Acquires the lock of a volume; it is reentrant.
     *
     * @return releases the lock; run once, by the same thread
     * @throws CloudMwException {@code OVERLOADED} when another thread holds it for too long; {@code CANCELLED} when
     *     interrupted
     */
    public Runnable take(VolumeName volume) throws CloudMwException {
        VolumeLock turn = turns.computeIfAbsent(volume, name -> new VolumeLock());
        long untilNanos = ticker.nanos() + LONGEST.toNanos();
        OptionalLong taken;
        try {
            do {
                taken = turn.takenNanos;
                if (turn.await(taken, untilNanos)) {
                    return turn::end;
                }
                // Another thread may hold the lock by now.
            } while (!taken.equals(turn.takenNanos) && untilNanos - ticker.nanos() > 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(
                    ErrorCode.CANCELLED, "catalog: interrupted while waiting for the volume's write lock", e);
        }
        throw new CloudMwException(
                ErrorCode.OVERLOADED,
                "catalog: another change of volume " + volume + " takes longer than " + LONGEST.toMillis() + " ms");
    }
}
