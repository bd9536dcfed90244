package io.cloudmw.core.testing;

import io.cloudmw.core.time.Ticker;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Virtual time with a schedule: actions run in the order of their times, and at equal times in the order of
 * scheduling. Nothing ever waits. Confined to one thread.
 */
public final class VirtualClock implements Ticker {
    private record Entry(long atNanos, long number, Runnable action) {}

    private final PriorityQueue<Entry> schedule =
            new PriorityQueue<>(Comparator.comparingLong(Entry::atNanos).thenComparingLong(Entry::number));
    private long nowNanos;
    private long scheduled;

    @Override
    public long nanos() {
        return nowNanos;
    }

    /** Runs {@code action} after {@code delayNanos}; at once, but not before this returns, when that is not positive. */
    public void after(long delayNanos, Runnable action) {
        schedule.add(new Entry(nowNanos + Math.max(0, delayNanos), scheduled++, action));
    }

    /**
     * Moves time to the next action and runs it.
     *
     * @return false when there is none
     */
    public boolean step() {
        Entry next = schedule.poll();
        if (next == null) {
            return false;
        }
        nowNanos = next.atNanos();
        next.action().run();
        return true;
    }

    /** Actions that have not run yet. */
    public int pending() {
        return schedule.size();
    }
}
