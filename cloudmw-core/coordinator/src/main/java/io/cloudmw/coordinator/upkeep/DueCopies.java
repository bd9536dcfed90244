package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.StoreCondition;
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
 * Copies that are to be read and checked: given out no faster than their stores are to be read, on the average over
 * {@value #BURST_SECONDS} s. {@link #done} may be called by any thread, the rest by one.
 */
final class DueCopies {
    /** A copy counts as so many bytes at least: a request costs its store something. */
    static final long LEAST_BYTES = 64 << 10;

    /** So many copies of one store are given out, or wait for it, at once. */
    static final int MOST_OF_A_STORE = 128;

    static final int BURST_SECONDS = 4;

    private final WorkQueue queue;
    private final Ticker ticker;
    private final long bytesPerSecond;

    /** When a store may be asked again. */
    private final Map<StoreId, Long> readyNanos = new HashMap<>();

    /** In the order of their chunks. */
    private final Set<Task.Verify> due = new LinkedHashSet<>();

    private Map<StoreId, StoreCondition> stores = Map.of();

    @GuardedBy("this")
    private final Map<StoreId, Set<String>> underWay = new HashMap<>();

    DueCopies(WorkQueue queue, Ticker ticker, long bytesPerSecond) {
        this.queue = queue;
        this.ticker = ticker;
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * Takes note of how the stores are, and of what the queue has given up.
     *
     * @return how many copies that were
     */
    int look(Map<StoreId, StoreCondition> now) {
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

    /** The stores, as they were when last looked at. */
    Map<StoreId, StoreCondition> stores() {
        return stores;
    }

    void add(Task.Verify task) {
        due.add(task);
    }

    /**
     * Gives out what is due of stores that may be asked again.
     *
     * @return how many copies cannot be read, because their store is away
     */
    int offer() {
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

    /** Nobody reports it before it is under way here. */
    private synchronized boolean offered(Task.Verify task) {
        Set<String> copies = underWay.computeIfAbsent(task.store().id(), store -> new HashSet<>());
        return copies.size() < MOST_OF_A_STORE && queue.offer(task) && copies.add(task.copy());
    }

    /** Returns whether all that was added is given out. */
    boolean isEmpty() {
        return due.isEmpty();
    }

    /** The first that is not given out, if any. */
    Optional<Task.Verify> first() {
        return due.stream().findFirst();
    }

    /** Copies that helpers have, or are to get. */
    synchronized Set<String> underWay() {
        Set<String> all = new HashSet<>();
        underWay.values().forEach(all::addAll);
        return all;
    }

    /** A helper has looked at a copy, or failed to; false when it was not given out here. */
    synchronized boolean done(Task.Verify task) {
        return underWay.getOrDefault(task.store().id(), new HashSet<>()).remove(task.copy());
    }

    /** Gives out nothing more, and takes back what no helper has yet. */
    void cancel() {
        due.clear();
        underWay().forEach(queue::withdraw);
        synchronized (this) {
            underWay.clear();
        }
    }
}
