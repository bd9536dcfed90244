package io.cloudmw.coordinator.upkeep;

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
 * Tasks that wait for a helper and tasks that one has, the most urgent first. Bounded: when it is full a more urgent task
 * takes the place of a less urgent one, which whoever found it will find again. A task whose helper fails, dies or takes too
 * long is given to another after a pause, a few times. Nothing is kept over a restart: what is to be done is in the catalog.
 * Safe for any thread; never blocks.
 */
public final class WorkQueue {
    /** Tasks together, waiting and given. */
    static final int MAX_TASKS = 2048;

    /** Leaves of their chunks together: each takes some 40 bytes. */
    static final int MAX_LEAVES = 1 << 18;

    /** One call gives a helper no more. */
    static final int MAX_GIVEN = 16;

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

    /** A task and how it fares. */
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
     * A task that a helper was given.
     *
     * @param number of this giving: another helper gets the same task under another one
     * @param lifeNanos not to be begun later than this after the helper asked
     */
    public record Given(long number, Task task, long lifeNanos) {}

    /**
     * An empty queue.
     *
     * @param lifeNanos how long a helper may take, besides a second for each MiB
     * @param firstNumber higher than any that a queue before this one gave: results that come late must not be taken for
     *     those of other tasks
     */
    public WorkQueue(Ticker ticker, long lifeNanos, long firstNumber) {
        this.ticker = ticker;
        this.lifeNanos = lifeNanos;
        this.sequence = firstNumber;
    }

    /**
     * Adds a task, unless there is one about the same.
     *
     * @return false when there is no room for it: nothing less urgent waits
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
     * Gives a helper what it may do and nobody else has.
     *
     * @param room how many it can take
     */
    public synchronized List<Given> take(HelperId helper, int room) {
        return take(helper, room, task -> true);
    }

    /**
     * The same, of what the helper can do.
     *
     * @param able whether it can do a task
     */
    public synchronized List<Given> take(HelperId helper, int room, Predicate<Task> able) {
        long now = ticker.nanos();
        List<Given> taken = new ArrayList<>();
        Iterator<Entry> entries = waiting.iterator();
        while (entries.hasNext() && taken.size() < Math.min(room, MAX_GIVEN)) {
            Entry entry = entries.next();
            if (now - entry.readyNanos >= 0 && isFor(entry.task, helper) && able.test(entry.task)) {
                entries.remove();
                long life = lifeNanos + secondPerMebibyte(entry.task);
                entry.helper = helper;
                entry.number = ++sequence;
                entry.expiresNanos = now + life;
                given.put(entry.number, entry);
                taken.add(new Given(entry.number, entry.task, life));
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

    /** The task that a helper was given under a number; empty when it was taken back meanwhile. */
    public synchronized Optional<Task> find(HelperId helper, long number) {
        return Optional.ofNullable(given.get(number))
                .filter(entry -> helper.equals(entry.helper))
                .map(entry -> entry.task);
    }

    /** Takes a task out that waits; a helper that has it goes on. */
    synchronized void withdraw(String key) {
        Entry entry = byKey.get(key);
        if (entry != null && waiting.contains(entry)) {
            forget(entry);
        }
    }

    /** Whether there is a task about this: see {@link Task#keys}. */
    public synchronized boolean contains(String key) {
        return byKey.containsKey(key);
    }

    /** Takes a task out that a helper has done, if it was not taken back meanwhile. */
    public synchronized void done(long number) {
        Entry entry = given.get(number);
        if (entry != null) {
            forget(entry);
        }
    }

    /** Takes a task back that a helper failed to do; false when it was tried often enough, and is dropped. */
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
     * Takes back what took too long, or whose helper is gone, and drops what waits for a helper that is gone.
     *
     * @return tasks that are dropped because they were tried often enough
     */
    public synchronized int expire(Predicate<HelperId> isAlive) {
        return expire(isAlive, task -> true);
    }

    /**
     * The same, and drops what nobody can do.
     *
     * @param possible whether a helper that is alive can do a task
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

    /** Tasks that wait for a helper. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Tasks that helpers have. */
    public synchronized int given() {
        return given.size();
    }
}
