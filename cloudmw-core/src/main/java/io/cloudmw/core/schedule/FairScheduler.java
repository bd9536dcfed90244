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
 * Decides whose work is next. Among classes the more urgent one comes first, but each has a floor
 * ({@link #floor}); among the clients of a class by deficit round robin, counted in bytes; of one client the earliest
 * deadline, then what came first. Whatever caps let through is served: it is work-conserving. What is beyond the bounds of its
 * queues is refused, with the time after which there should be room.
 *
 * <p>Holds to this: while two clients of a class both have work waiting, neither gets more than a quantum and one piece of work
 * more than the other, besides what one of them had too much of before. While a class has work waiting that no cap holds back, it gets at least
 * its floor of all bytes served, less a quantum and a few pieces.
 *
 * <p>A state machine without a clock, I/O or threads: used by one thread at a time, told what time it is, and never going
 * backwards in it. {@link ClassQueue} says where it comes from.
 *
 * @param <T> what is to be done
 */
public final class FairScheduler<T> {
    /** What a client may take at a time. Less: fairer over short times, and more rounds for long pieces of work. */
    public static final long QUANTUM_BYTES = 1L << 20;

    private static final Duration LEAST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** While nothing is known of how fast work is taken. */
    private static final Duration USUAL_PAUSE = Duration.ofSeconds(1);

    /** One class, and how much of its floor it has not had. */
    private static final class Rank<T> {
        final ClassQueue<T> queue;
        final double floor;
        double owedBytes;

        Rank(ClassQueue<T> queue, double floor) {
            this.queue = queue;
            this.floor = floor;
        }

        boolean isDue() {
            return queue.queued() > 0 && owedBytes >= QUANTUM_BYTES;
        }

        /** Who wants nothing is owed nothing. */
        void forgive() {
            if (queue.queued() == 0) {
                owedBytes = Math.min(0, owedBytes);
            }
        }
    }

    /** What waits of one client, in all classes. */
    private static final class Backlog {
        int turns;
        long bytes;
    }

    private final ScheduleLimits limits;
    private final RateCaps clientCaps;
    private final RateCaps volumeCaps;
    private final Map<Priority, Rank<T>> ranks = new EnumMap<>(Priority.class);
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
            ranks.put(priority, new Rank<>(queue, floor(priority)));
        }
    }

    /** The share of all bytes that a class gets at least while it has work waiting. What is left goes to the most urgent. */
    public static double floor(Priority priority) {
        return switch (priority) {
            case INTERACTIVE -> 0.7;
            case BATCH -> 0.2;
            case PREFETCH, REPAIR -> 0.05;
        };
    }

    /**
     * Puts work in its queue.
     *
     * @param costBytes about so much it will move, at least 1; {@link #settle} corrects it
     * @param deadlineNanos when it should be done; orders the work of one client; empty: after what has a deadline
     * @throws CloudMwException {@code OVERLOADED}, with the time after which to ask again, when too much waits already
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

    /** So many turns can be taken at once: what waits for these does not count for the bounds. */
    public void free(int turns) {
        free = turns;
    }

    /** When half of what waits has been served there is room, and the queue has not run empty. */
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

    /** Takes the work that is next; empty: nothing waits, or caps hold back what does (see {@link #admitsAtNanos}). */
    public Optional<ScheduledWork<T>> next(long nowNanos) {
        for (Rank<T> rank : inOrder()) {
            boolean due = rank.isDue();
            ScheduledWork<T> turn = rank.queue.take(nowNanos);
            if (turn != null) {
                served(turn, rank, due, nowNanos);
                return Optional.of(turn);
            }
            if (due) {
                rank.owedBytes = QUANTUM_BYTES; // what caps hold back is not owed
            }
        }
        return Optional.empty();
    }

    /** First those whose floor is due, the one that is owed most for its floor before the others; then by urgency. */
    private List<Rank<T>> inOrder() {
        List<Rank<T>> order = new ArrayList<>(ranks.values());
        order.sort(Comparator.comparingDouble(rank -> rank.isDue() ? -rank.owedBytes / rank.floor : 0));
        return order;
    }

    private void served(ScheduledWork<T> turn, Rank<T> rank, boolean due, long nowNanos) {
        turn.become(ScheduledWork.State.SERVED);
        long bytes = turn.costBytes();
        clientCaps.take(turn.tenant().client(), bytes, nowNanos);
        volumeCaps.take(turn.tenant().volume(), bytes, nowNanos);
        double before = rank.owedBytes;
        for (Rank<T> each : ranks.values()) {
            if (each == rank) {
                // What it had for its urgency counts for its floor, too, but makes no debt.
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

    /** Takes work back; false when it was served already, or taken back. */
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
     * Work that was served is over, and has moved so many bytes: what it was charged with besides is its client's again, and its
     * class's, for which otherwise work that always fails would use up the floor.
     */
    public void settle(ScheduledWork<T> turn, long actualBytes, long nowNanos) {
        if (turn.state() != ScheduledWork.State.SERVED) {
            throw new IllegalStateException("not under way: " + turn.state());
        }
        turn.become(ScheduledWork.State.OVER);
        long unused = turn.costBytes() - actualBytes;
        Rank<T> rank = rank(turn);
        rank.queue.refund(turn.tenant().client(), unused);
        rank.owedBytes += turn.floorBytes() * unused / turn.costBytes();
        rank.forgive();
        giveBack(turn.tenant(), unused, nowNanos);
    }

    /** To the caps, which may have held back others for it, of all classes. */
    private void giveBack(Tenant tenant, long unused, long nowNanos) {
        boolean held = !clientCaps.admits(tenant.client(), nowNanos) || !volumeCaps.admits(tenant.volume(), nowNanos);
        clientCaps.take(tenant.client(), -unused, nowNanos);
        volumeCaps.take(tenant.volume(), -unused, nowNanos);
        if (held && unused > 0) {
            ranks.values().forEach(rank -> rank.queue.lookAt(nowNanos));
        }
    }

    /** When caps let through something that waits; meaningful after {@link #next} was empty. Empty: nothing waits for a cap. */
    public OptionalLong admitsAtNanos() {
        return ranks.values().stream()
                .map(rank -> rank.queue.admitsAtNanos())
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .min();
    }

    /** Pieces of work that wait. */
    public int queued() {
        return queued;
    }

    /** Pieces of work of a class that wait. */
    public int queued(Priority priority) {
        return rank(priority).queue.queued();
    }

    private Rank<T> rank(ScheduledWork<T> turn) {
        return rank(turn.tenant().priority());
    }

    private Rank<T> rank(Priority priority) {
        Rank<T> rank = ranks.get(priority);
        if (rank == null) {
            throw new IllegalStateException("no queue of " + priority);
        }
        return rank;
    }
}
