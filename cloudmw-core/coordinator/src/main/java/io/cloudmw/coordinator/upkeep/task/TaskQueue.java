package io.cloudmw.coordinator.upkeep.task;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queue of upkeep tasks, waiting or assigned, the most urgent first. Bounded: in a full queue a more urgent task
 * evicts a less urgent one, which a later pass finds again. When a helper fails, dies or times out, the task is retried
 * by another helper after a delay, a few times. Nothing survives a restart, since the catalog has the work. Safe for
 * any thread; never blocks.
 */
public final class TaskQueue {
    /** The most tasks, waiting and assigned. */
    public static final int MAX_TASKS = 2048;

    /** The most leaves of all tasks' chunks together; each takes some 40 bytes. */
    static final int MAX_LEAVES = 1 << 18;

    /** The most tasks that one call assigns. */
    public static final int MAX_ASSIGNED = 16;

    static final int MAX_TRIES = 5;
    static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Backoff BACKOFF = new Backoff(FIRST_PAUSE_NANOS, FIRST_PAUSE_NANOS << MAX_TRIES);

    private static final long BYTES_PER_SECOND = 1 << 20;
    private static final Comparator<Entry> ORDER =
            Comparator.<Entry>comparingInt(entry -> entry.task.urgency()).thenComparingLong(entry -> entry.order);

    private final Ticker ticker;
    private final long lifeNanos;

    @GuardedBy("this")
    private final TreeSet<Entry> waiting = new TreeSet<>(ORDER);

    @GuardedBy("this")
    private final Map<String, Entry> byKey = new HashMap<>();

    @GuardedBy("this")
    private final Map<Long, Entry> given = new HashMap<>();

    @GuardedBy("this")
    private long leaves;

    @GuardedBy("this")
    private long sequence;

    /** A task and its state. */
    private static final class Entry {
        private final Task task;
        private final long order;
        private int tries;
        private long readyNanos;
        private long expiresNanos;
        private long number;
        private @Nullable HelperId helper;

        Entry(Task task, long order, long readyNanos) {
            this.task = task;
            this.order = order;
            this.readyNanos = readyNanos;
        }
    }

    /**
     * A task assigned to a helper.
     *
     * @param number identifies this assignment; a retry by another helper gets a new number
     * @param lifeNanos how long after its request the helper may begin the task
     */
    public record Assignment(long number, Task task, long lifeNanos) {}

    /**
     * Creates an empty queue.
     *
     * @param lifeNanos how long a helper may take, besides a second for each MiB
     * @param firstNumber higher than all numbers of earlier queues, so that late results are not taken for those of
     *     other tasks
     */
    public TaskQueue(Ticker ticker, long lifeNanos, long firstNumber) {
        this.ticker = ticker;
        this.lifeNanos = lifeNanos;
        this.sequence = firstNumber;
    }

    /**
     * Adds a task, unless the queue has one with the same key.
     *
     * @return false when the queue is full of tasks at least as urgent
     */
    public synchronized boolean offer(Task task) {
        for (var key : task.keys()) {
            if (byKey.containsKey(key)) {
                return true;
            }
        }
        while (isFull(task)) {
            Entry last = waiting.isEmpty() ? null : waiting.last();
            if (last == null || last.task.urgency() <= task.urgency()) {
                return false;
            }
            forget(last);
        }
        Entry entry = new Entry(task, ++sequence, ticker.nanos());
        for (var key : task.keys()) {
            byKey.put(key, entry);
        }
        waiting.add(entry);
        leaves += task.leaves();
        return true;
    }

    @GuardedBy("this")
    private boolean isFull(Task task) {
        int tasks = waiting.size() + given.size();
        return tasks >= MAX_TASKS || (tasks > 0 && leaves + task.leaves() > MAX_LEAVES);
    }

    @GuardedBy("this")
    private void forget(Entry entry) {
        waiting.remove(entry);
        given.remove(entry.number);
        entry.task.keys().forEach(byKey::remove);
        leaves -= entry.task.leaves();
    }

    /**
     * Assigns waiting tasks to a helper.
     *
     * @param room how many tasks it can take
     */
    public synchronized List<Assignment> take(HelperId helper, int room) {
        return take(helper, room, task -> true);
    }

    /**
     * Assigns waiting tasks that the helper is able to do.
     *
     * @param able whether the helper can do a task
     */
    public synchronized List<Assignment> take(HelperId helper, int room, Predicate<Task> able) {
        long now = ticker.nanos();
        List<Assignment> taken = new ArrayList<>();
        Iterator<Entry> entries = waiting.iterator();
        while (entries.hasNext() && taken.size() < Math.min(room, MAX_ASSIGNED)) {
            Entry entry = entries.next();
            if (now - entry.readyNanos >= 0 && isFor(entry.task, helper) && able.test(entry.task)) {
                entries.remove();
                long life = lifeNanos + secondPerMebibyte(entry.task);
                entry.helper = helper;
                entry.number = ++sequence;
                entry.expiresNanos = now + life;
                given.put(entry.number, entry);
                taken.add(new Assignment(entry.number, entry.task, life));
            }
        }
        return taken;
    }

    private static long secondPerMebibyte(Task task) {
        return TimeUnit.SECONDS.toNanos(task.bytes() / BYTES_PER_SECOND);
    }

    private static boolean isFor(Task task, HelperId helper) {
        Optional<HelperId> owner = task.store().owner();
        return owner.isEmpty() || owner.get().equals(helper);
    }

    /** Returns the task of an assignment; empty when it was taken back. */
    public synchronized Optional<Task> find(HelperId helper, long number) {
        return Optional.ofNullable(given.get(number))
                .filter(entry -> helper.equals(entry.helper))
                .map(entry -> entry.task);
    }

    /** Removes a waiting task; an assigned one continues. */
    public synchronized void withdraw(String key) {
        Entry entry = byKey.get(key);
        if (entry != null && waiting.contains(entry)) {
            forget(entry);
        }
    }

    /** Returns whether the queue has a task with this key; see {@link Task#keys}. */
    public synchronized boolean contains(String key) {
        return byKey.containsKey(key);
    }

    /** Removes a task that a helper has done, unless it was taken back. */
    public synchronized void done(long number) {
        Entry entry = given.get(number);
        if (entry != null) {
            forget(entry);
        }
    }

    /** Takes back a task that a helper failed to do; returns false when it was dropped after several attempts. */
    public synchronized boolean failed(long number) {
        Entry entry = given.get(number);
        return entry == null || again(entry);
    }

    @GuardedBy("this")
    private boolean again(Entry entry) {
        given.remove(entry.number);
        entry.tries++;
        if (entry.tries >= MAX_TRIES) {
            forget(entry);
            return false;
        }
        entry.readyNanos = ticker.nanos() + BACKOFF.delayNanos(entry.tries);
        waiting.add(entry);
        return true;
    }

    /**
     * Takes back tasks that timed out or whose helper is gone, and drops tasks that wait for a helper which is gone.
     *
     * @return the tasks that were dropped after several attempts
     */
    public synchronized int expire(Predicate<HelperId> isAlive) {
        return expire(isAlive, task -> true);
    }

    /**
     * Takes back tasks as {@link #expire(Predicate)}, and drops tasks that no helper can do.
     *
     * @param possible whether a live helper can do a task
     */
    public synchronized int expire(Predicate<HelperId> isAlive, Predicate<Task> possible) {
        long now = ticker.nanos();
        int dropped = 0;
        for (Entry entry : List.copyOf(given.values())) {
            boolean late = now - entry.expiresNanos >= 0;
            boolean orphaned = entry.helper != null && !isAlive.test(entry.helper);
            if ((late || orphaned) && !again(entry)) {
                dropped++;
            }
        }
        for (Entry entry : List.copyOf(waiting)) {
            Optional<HelperId> owner = entry.task.store().owner();
            if ((owner.isPresent() && !isAlive.test(owner.get())) || !possible.test(entry.task)) {
                forget(entry);
            }
        }
        return dropped;
    }

    /** Returns how many tasks wait for a helper. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Returns how many tasks are assigned. */
    public synchronized int assigned() {
        return given.size();
    }
}
