package io.cloudmw.core.catalog.dynamodb;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread of this process at a time write a volume's position, so that only other processes are conflicts. Behind one
 * whose requests stall nobody waits for longer than {@link #LONGEST}, and who comes after that not at all: the threads are
 * other volumes' too. Safe for any thread.
 */
final class Turns {
    /** A turn usually takes some tens of milliseconds. */
    static final Duration LONGEST = Duration.ofSeconds(1);

    private final Ticker ticker;

    /** As many as volumes were changed here. */
    private final Map<VolumeName, Turn> turns = new ConcurrentHashMap<>();

    Turns(Ticker ticker) {
        this.ticker = ticker;
    }

    private static final class Turn {
        private final ReentrantLock lock = new ReentrantLock();
        private volatile long takenNanos;
    }

    /**
     * Waits for a turn.
     *
     * @return ends it; to be run once, by the same thread
     * @throws CloudMwException {@code OVERLOADED} when somebody has it for too long; {@code CANCELLED} when interrupted
     */
    Runnable take(VolumeName volume) throws CloudMwException {
        Turn turn = turns.computeIfAbsent(volume, name -> new Turn());
        long takenFor = turn.lock.isLocked() ? ticker.nanos() - turn.takenNanos : 0;
        try {
            if (!turn.lock.tryLock(Math.max(0, LONGEST.toNanos() - takenFor), TimeUnit.NANOSECONDS)) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED,
                        "catalog: another change of volume " + volume + " takes longer than " + LONGEST.toMillis()
                                + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "catalog: interrupted before its turn", e);
        }
        turn.takenNanos = ticker.nanos();
        return turn.lock::unlock;
    }
}
