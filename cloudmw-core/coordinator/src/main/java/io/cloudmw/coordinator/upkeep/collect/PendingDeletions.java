package io.cloudmw.coordinator.upkeep.collect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import java.util.HashMap;
import java.util.Map;

/** The copies that a helper may still delete, and until when. Bounded, safe for any thread; never blocks. */
final class PendingDeletions {
    /** The most copies remembered; further deletions wait. */
    private static final int MOST_REMEMBERED = 200_000;

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<String, Long> untilNanos = new HashMap<>();

    PendingDeletions(Ticker ticker) {
        this.ticker = ticker;
    }

    synchronized boolean isFull() {
        return untilNanos.size() >= MOST_REMEMBERED;
    }

    /** Records that a helper may delete these copies within a time from now. */
    synchronized void add(Task.Delete task, long lifeNanos) {
        long until = ticker.nanos() + lifeNanos;
        task.keys().forEach(copy -> untilNanos.put(copy, until));
    }

    synchronized boolean contains(ChunkId chunk, StoreId store) {
        return untilNanos.containsKey(Task.copy(chunk, store));
    }

    /** Forgets the copies whose time is over. */
    synchronized void expire() {
        untilNanos.values().removeIf(until -> ticker.nanos() - until >= 0);
    }
}
