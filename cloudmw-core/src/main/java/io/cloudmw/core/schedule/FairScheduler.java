package io.cloudmw.core.schedule;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The scheduler that decides whose work is next. The most urgent class comes first, but each class has a floor ({@link
 * #floor}). The clients of a class take turns by deficit round robin, counted in bytes. The work of one client is
 * ordered by deadline, then by arrival. It is work-conserving: whatever caps let through is served. Work beyond the
 * bounds of its queues is refused with a retry-after.
 *
 * <p>Invariants: while two clients of a class both have work waiting, neither gets more than a quantum and one work
 * item more than the other, besides an earlier imbalance. While a class has work waiting that no cap holds back, it
 * gets at least its floor of all bytes served, less a quantum and a few items.
 *
 * <p>A state machine without a clock, I/O or threads: one thread at a time calls it with a time that never goes
 * backwards. {@link ClassQueue} names the papers.
 *
 * @param <T> the work
 */
public final class FairScheduler<T> {
    /**
     * The bytes that a client may take at a time. A smaller quantum is fairer over short times and needs more rounds
     * for large items.
     */
    public static final long QUANTUM_BYTES = 1L << 20;

    private static final Duration LEAST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** The retry-after while the service rate is unknown. */
    private static final Duration USUAL_PAUSE = Duration.ofSeconds(1);

    /** A class, with what it lacks of its floor. */
    private static final class ClassState<T> {
        final ClassQueue<T> queue;
        final double floor;
        double owedBytes;

        ClassState(ClassQueue<T> queue, double floor) {
            this.queue = queue;
            this.floor = floor;
        }

        boolean isDue() {
            return queue.queued() > 0 && owedBytes >= QUANTUM_BYTES;
        }

        /** Clears the debt to a class without work. */
        void forgive() {
            if (queue.queued() == 0) {
                owedBytes = Math.min(0, owedBytes);
            }
        }
    }

    /** The waiting items of one client, in all classes. */
    private static final class Backlog {
        int turns;
        long bytes;
    }

    private final ScheduleLimits limits;
    private final RateCaps clientCaps;
    private final RateCaps volumeCaps;
    private final Map<Priority, ClassState<T>> ranks = new EnumMap<>(Priority.class);
    private final Map<String, Backlog> backlogs = new HashMap<>();
    private final ServiceRate rate = new ServiceRate();
    private long sequence;
    private int queued;
    private long queuedBytes;
    private int free;

    public FairScheduler(ScheduleLimits limits) {
        this.limits = limits;
        this.clientCaps = new RateCaps(limits.clientBytesPerSecond());
        this.volumeCaps = new RateCaps(limits.volumeBytesPerSecond());
        for (Priority priority : Priority.values()) {
            ClassQueue<T> queue = new ClassQueue<>(QUANTUM_BYTES, clientCaps, volumeCaps);
            ranks.put(priority, new ClassState<>(queue, floor(priority)));
        }
    }

    /**
     * The least share of all bytes that a class gets while it has work waiting. The rest goes to the most urgent
     * class.
     */
    public static double floor(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> 0.7;
            case BATCH -> 0.2;
            case PREFETCH, REPAIR -> 0.05;
        };
    }

    /**
     * Queues work.
     *
     * @param costBytes the estimated bytes it will move, at least 1; {@link #settle} corrects it
     * @param deadlineNanos orders the work of one client; empty: after work with a deadline
     * @throws CloudMwException {@code OVERLOADED} with a retry-after, when a queue is full
     */
    public ScheduledWork<T> submit(Tenant tenant, T work, long costBytes, OptionalLong deadlineNanos, long nowNanos)
            throws CloudMwException {
        if (costBytes < 1) {
            throw new IllegalArgumentException("costBytes: " + costBytes + " (expected: >= 1)");
        }
        Backlog own = backlogs.get(tenant.client());
        if (own != null && own.turns - free >= limits.clientQueue()) {
            throw refused("client " + tenant.client(), own.turns, limits.clientQueue(), own.bytes * backlogs.size());
        }
        if (queued - free >= limits.queue()) {
            throw refused("all clients", queued, limits.queue(), queuedBytes);
        }
        ScheduledWork<T> turn = new ScheduledWork<>(
                tenant, work, costBytes, deadlineNanos.orElse(Long.MAX_VALUE), sequence++, nowNanos);
        rank(turn).queue.add(turn);
        Backlog backlog = backlogs.computeIfAbsent(tenant.client(), absent -> new Backlog());
        backlog.turns++;
        backlog.bytes += costBytes;
        queued++;
        queuedBytes += costBytes;
        return turn;
    }

    /** Sets the number of items that can be taken at once: the items waiting for these do not count for the bounds. */
    public void free(int turns) {
        free = turns;
    }

    /**
     * The refusal. Its retry-after is the time to serve half of what waits: then there is room, and the queue has not
     * run empty.
     */
    private CloudMwException refused(String whose, int waiting, int limit, long bytes) {
        Duration pause = USUAL_PAUSE;
        if (rate.bytesPerSecond().isPresent()) {
            double seconds = bytes / 2.0 / rate.bytesPerSecond().getAsDouble();
            pause = Duration.ofMillis((long) Math.min(seconds * 1000, (double) LONGEST_PAUSE.toMillis()));
        }
        pause = pause.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : pause;
        return CloudMwException.overloaded(
                whose + ": " + waiting + " pieces of work wait already (limit: " + limit + ")", pause);
    }

    /** Takes the next item; empty: nothing waits, or caps hold it back (see {@link #admitsAtNanos}). */
    public Optional<ScheduledWork<T>> next(long nowNanos) {
        for (ClassState<T> rank : inOrder()) {
            boolean due = rank.isDue();
            ScheduledWork<T> turn = rank.queue.take(nowNanos);
            if (turn != null) {
                served(turn, rank, due, nowNanos);
                return Optional.of(turn);
            }
            if (due) {
                rank.owedBytes = QUANTUM_BYTES; // work that caps hold back is not owed
            }
        }
        return Optional.empty();
    }

    /** The classes in order: first those whose floor is due, the most owed one before the others; then by urgency. */
    private List<ClassState<T>> inOrder() {
        List<ClassState<T>> order = new ArrayList<>(ranks.values());
        order.sort(Comparator.comparingDouble(rank -> rank.isDue() ? -rank.owedBytes / rank.floor : 0));
        return order;
    }

    private void served(ScheduledWork<T> turn, ClassState<T> rank, boolean due, long nowNanos) {
        turn.become(ScheduledWork.State.SERVED);
        long bytes = turn.costBytes();
        clientCaps.take(turn.tenant().client(), bytes, nowNanos);
        volumeCaps.take(turn.tenant().volume(), bytes, nowNanos);
        double before = rank.owedBytes;
        for (ClassState<T> each : ranks.values()) {
            if (each == rank) {
                // Bytes it had for its urgency count for its floor, too, but make no debt.
                double left = each.owedBytes + bytes * each.floor - bytes;
                each.owedBytes = due ? left : Math.max(left, Math.min(0, each.owedBytes));
            } else if (each.queue.queued() > 0) {
                each.owedBytes += bytes * each.floor;
            }
            if (each == rank) {
                turn.chargeFloor(before - rank.owedBytes);
            }
            each.forgive();
        }
        rate.took(bytes, nowNanos);
        left(turn);
    }

    private void left(ScheduledWork<T> turn) {
        Backlog backlog = backlogs.get(turn.tenant().client());
        if (backlog != null) {
            backlog.turns--;
            backlog.bytes -= turn.costBytes();
            if (backlog.turns == 0) {
                backlogs.remove(turn.tenant().client());
            }
        }
        queued--;
        queuedBytes -= turn.costBytes();
        if (queued == 0) {
            rate.idle();
        }
    }

    /** Takes work back; returns false when it was served or taken back already. */
    public boolean withdraw(ScheduledWork<T> turn) {
        if (turn.state() != ScheduledWork.State.QUEUED) {
            return false;
        }
        turn.become(ScheduledWork.State.OVER);
        rank(turn).queue.remove(turn);
        left(turn);
        return true;
    }

    /**
     * Settles served work with the bytes it moved. The excess charge returns to its client and its class; otherwise
     * work that always fails would use up the floor.
     */
    public void settle(ScheduledWork<T> turn, long actualBytes, long nowNanos) {
        if (turn.state() != ScheduledWork.State.SERVED) {
            throw new IllegalStateException("not under way: " + turn.state());
        }
        turn.become(ScheduledWork.State.OVER);
        long unused = turn.costBytes() - actualBytes;
        ClassState<T> rank = rank(turn);
        rank.queue.refund(turn.tenant().client(), unused);
        rank.owedBytes += turn.floorBytes() * unused / turn.costBytes();
        rank.forgive();
        giveBack(turn.tenant(), unused, nowNanos);
    }

    /** Returns bytes to the caps, which may have held back items of all classes for them. */
    private void giveBack(Tenant tenant, long unused, long nowNanos) {
        boolean held = !clientCaps.admits(tenant.client(), nowNanos) || !volumeCaps.admits(tenant.volume(), nowNanos);
        clientCaps.take(tenant.client(), -unused, nowNanos);
        volumeCaps.take(tenant.volume(), -unused, nowNanos);
        if (held && unused > 0) {
            ranks.values().forEach(rank -> rank.queue.lookAt(nowNanos));
        }
    }

    /**
     * The time at which caps let a waiting item through, valid after {@link #next} was empty. Empty: no item waits for
     * a cap.
     */
    public OptionalLong admitsAtNanos() {
        return ranks.values().stream()
                .map(rank -> rank.queue.admitsAtNanos())
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .min();
    }

    /** The number of waiting items. */
    public int queued() {
        return queued;
    }

    /** The number of waiting items of a class. */
    public int queued(Priority priority) {
        return rank(priority).queue.queued();
    }

    private ClassState<T> rank(ScheduledWork<T> turn) {
        return rank(turn.tenant().priority());
    }

    private ClassState<T> rank(Priority priority) {
        ClassState<T> rank = ranks.get(priority);
        if (rank == null) {
            throw new IllegalStateException("no queue of " + priority);
        }
        return rank;
    }
}
