package io.cloudmw.coordinator.catalog.dynamodb;

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

    private final class Turn {
        private final ReentrantLock lock = new ReentrantLock();

        /** Since when somebody has it; empty: nobody has, or who has it has only just got it. */
        private volatile OptionalLong takenNanos = OptionalLong.empty();

        /** Waits until who has it has had it for {@link #LONGEST}, and no longer than until then; whether it is this thread's. */
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
     * Waits for a turn; a thread that has it has it again.
     *
     * @return ends it; to be run once, by the same thread
     * @throws CloudMwException {@code OVERLOADED} when somebody has it for too long; {@code CANCELLED} when interrupted
     */
    Runnable take(VolumeName volume) throws CloudMwException {
        Turn turn = turns.computeIfAbsent(volume, name -> new Turn());
        long untilNanos = ticker.nanos() + LONGEST.toNanos();
        OptionalLong taken;
        try {
            do {
                taken = turn.takenNanos;
                if (turn.await(taken, untilNanos)) {
                    return turn::end;
                }
                // Somebody else may have it by now.
            } while (!taken.equals(turn.takenNanos) && untilNanos - ticker.nanos() > 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloudMwException(ErrorCode.CANCELLED, "catalog: interrupted before its turn", e);
        }
        throw new CloudMwException(
                ErrorCode.OVERLOADED,
                "catalog: another change of volume " + volume + " takes longer than " + LONGEST.toMillis() + " ms");
    }
}
