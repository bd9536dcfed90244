package io.cloudmw.coordinator.upkeep.scrub;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The pacing of copies to be verified: each store is read at a limited rate, averaged over {@value #BURST_SECONDS} s.
 * {@link #done} may be called by any thread, other methods by one.
 */
public final class ScrubPacer {
    /** The least bytes that a copy counts for, since a request has a cost of its own. */
    static final long LEAST_BYTES = 64 << 10;

    /** The most copies of one store that are queued or wait for it at once. */
    static final int MOST_OF_A_STORE = 128;

    static final int BURST_SECONDS = 4;

    private final TaskQueue queue;
    private final Ticker ticker;
    private final long bytesPerSecond;

    /** The time at which a store may be read again. */
    private final Map<StoreId, Long> readyNanos = new HashMap<>();

    /** The waiting copies, in the order of their chunks. */
    private final Set<Task.Verify> due = new LinkedHashSet<>();

    private Map<StoreId, StoreCondition> stores = Map.of();

    @GuardedBy("this")
    private final Map<StoreId, Set<String>> underWay = new HashMap<>();

    public ScrubPacer(TaskQueue queue, Ticker ticker, long bytesPerSecond) {
        this.queue = queue;
        this.ticker = ticker;
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * Takes the present conditions of the stores, and the tasks that the queue dropped.
     *
     * @return how many tasks were dropped
     */
    public int look(Map<StoreId, StoreCondition> now) {
        stores = now;
        readyNanos.keySet().retainAll(now.keySet());
        int givenUp = 0;
        synchronized (this) {
            for (Set<String> copies : underWay.values()) {
                int asked = copies.size();
                copies.removeIf(copy -> !queue.contains(copy));
                givenUp += asked - copies.size();
            }
            underWay.values().removeIf(Set::isEmpty);
        }
        return givenUp;
    }

    /** Returns the conditions of the stores at the last look. */
    Map<StoreId, StoreCondition> stores() {
        return stores;
    }

    public void add(Task.Verify task) {
        due.add(task);
    }

    /**
     * Queues the due copies of stores that may be read again.
     *
     * @return how many copies cannot be read, because their store is absent
     */
    public int offer() {
        long now = ticker.nanos();
        int unreadable = 0;
        Iterator<Task.Verify> tasks = due.iterator();
        while (tasks.hasNext()) {
            Task.Verify task = tasks.next();
            StoreId id = task.store().id();
            StoreCondition store = stores.get(id);
            if (store == null || !store.available()) {
                unreadable++;
                tasks.remove();
            } else if (now - readyNanos.getOrDefault(id, now) >= 0 && offered(task)) {
                long rested = Math.max(readyNanos.getOrDefault(id, now), now - TimeUnit.SECONDS.toNanos(BURST_SECONDS));
                readyNanos.put(id, rested + costNanos(task));
                tasks.remove();
            }
        }
        return unreadable;
    }

    private long costNanos(Task.Verify task) {
        long bytes = Math.max(LEAST_BYTES, task.chunk().range().length());
        return (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }

    /** The task is recorded here before a helper can report it. */
    private synchronized boolean offered(Task.Verify task) {
        Set<String> copies = underWay.computeIfAbsent(task.store().id(), store -> new HashSet<>());
        return copies.size() < MOST_OF_A_STORE && queue.offer(task) && copies.add(task.copy());
    }

    /** Returns whether all added copies are queued. */
    public boolean isEmpty() {
        return due.isEmpty();
    }

    /** Returns the first copy that is not queued, if any. */
    Optional<Task.Verify> first() {
        return due.stream().findFirst();
    }

    /** Returns the keys of the copies that are queued or assigned. */
    public synchronized Set<String> underWay() {
        Set<String> all = new HashSet<>();
        underWay.values().forEach(all::addAll);
        return all;
    }

    /** Records the end of a task; returns false when it was not queued here. */
    public synchronized boolean done(Task.Verify task) {
        return underWay.getOrDefault(task.store().id(), new HashSet<>()).remove(task.copy());
    }

    /** Stops queueing, and withdraws the tasks that no helper has yet. */
    public void cancel() {
        due.clear();
        underWay().forEach(queue::withdraw);
        synchronized (this) {
            underWay.clear();
        }
    }
}
