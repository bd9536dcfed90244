package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.upkeep.repair.Repairer;
import io.cloudmw.coordinator.upkeep.repair.RequestedRepair;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.scrub.ScrubPacer;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.RoundProgress;
import io.cloudmw.core.status.RoundProgress.Kind;
import io.cloudmw.core.status.RoundProgress.State;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rounds of scrub and repair that users requested, one at a time. An attended round ends when its progress was not
 * polled for half a minute. A round is known only to the coordinator that does upkeep, and ends with its lease.
 * {@link #step} and {@link #look} are called by one thread, other methods by any.
 */
final class RequestedRounds {
    static final long ABANDONED_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final UpkeepContext context;
    private final TaskQueue queue;
    private final Repairer repair;

    @GuardedBy("this")
    private Optional<Round> last = Optional.empty();

    private Map<StoreId, StoreCondition> stores = Map.of();

    /** A round. Fields without a guard belong to the stepping thread. */
    private static final class Round {
        private final Kind kind;
        private final long number;
        private final RoundScope scope;
        private final boolean attended;
        private final ScrubPacer due;
        private final RequestedRepair repair;
        private Optional<ManifestWalk> walk;

        @GuardedBy("this")
        private State state;

        @GuardedBy("this")
        private long askedNanos;

        @GuardedBy("this")
        private long looked;

        @GuardedBy("this")
        private long read;

        @GuardedBy("this")
        private long readBytes;

        @GuardedBy("this")
        private long bad;

        @GuardedBy("this")
        private long skipped;

        Round(Kind kind, long number, RoundScope scope, boolean attended, ScrubPacer due, Catalog catalog) {
            this.kind = kind;
            this.number = number;
            this.scope = scope;
            this.attended = attended;
            this.due = due;
            this.repair = new RequestedRepair(scope);
            this.walk = kind == Kind.SCRUB ? Optional.of(new ManifestWalk(catalog)) : Optional.empty();
            this.state = kind == Kind.SCRUB ? State.READING : State.REPAIRING;
        }

        synchronized State state() {
            return state;
        }

        synchronized void state(State now) {
            if (!state.isOver()) {
                state = now;
            }
        }

        synchronized void asked(long nanos) {
            askedNanos = nanos;
        }

        synchronized boolean isAbandoned(long nanos) {
            return attended && nanos - askedNanos >= ABANDONED_NANOS;
        }

        synchronized void looked(long chunks) {
            looked += chunks;
        }

        synchronized void skipped(long copies) {
            skipped += copies;
        }

        synchronized void verified(long bytes, boolean wrong) {
            read++;
            readBytes += bytes;
            bad += wrong ? 1 : 0;
        }

        synchronized RoundProgress progress() {
            return new RoundProgress(
                    kind,
                    number,
                    state,
                    kind == Kind.SCRUB ? looked : repair.looked(),
                    read,
                    readBytes,
                    bad,
                    skipped,
                    repair.repaired(),
                    repair.repairedBytes(),
                    repair.left());
        }
    }

    RequestedRounds(UpkeepContext context, TaskQueue queue, Repairer repair) {
        this.context = context;
        this.queue = queue;
        this.repair = repair;
    }

    /**
     * Begins a round.
     *
     * @param attended whether the round ends when its progress is no longer polled
     * @return its number
     * @throws CloudMwException {@code ALREADY_EXISTS} when a round is under way
     */
    synchronized long begin(Kind kind, RoundScope scope, boolean attended) throws CloudMwException {
        if (last.isPresent() && !last.get().state().isOver()) {
            RoundProgress other = last.get().progress();
            throw new CloudMwException(
                    ErrorCode.ALREADY_EXISTS,
                    "round " + other.number() + " of " + other.kind() + " is under way (expected: none; wait until it "
                            + "has ended, or end it)");
        }
        long before = last.map(round -> round.number).orElse(0L);
        Round round = new Round(
                kind,
                Math.max(before + 1, context.clock().millis()),
                scope,
                attended,
                new ScrubPacer(queue, context.ticker(), context.options().scrubBytesPerSecond()),
                context.catalog());
        round.asked(context.ticker().nanos());
        last = Optional.of(round);
        return round.number;
    }

    /**
     * Returns the progress of a round, and counts as a poll.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the round is not known here
     */
    RoundProgress progress(long number) throws CloudMwException {
        Round round = find(number);
        round.asked(context.ticker().nanos());
        return round.progress();
    }

    /**
     * Ends a round before it is done; does nothing when it is over.
     *
     * @throws CloudMwException {@code NOT_FOUND} when the round is not known here
     */
    RoundProgress end(long number) throws CloudMwException {
        Round round = find(number);
        round.state(State.CANCELLED);
        return round.progress();
    }

    private Round find(long number) throws CloudMwException {
        return last().filter(round -> round.number == number)
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.NOT_FOUND,
                        "round " + number + " not found (another coordinator took over upkeep and ended it, or "
                                + "others have followed; begin a new one)"));
    }

    private synchronized Optional<Round> last() {
        return last;
    }

    /** Returns the progress of the last round; empty: there was none. Does not count as a poll. */
    Optional<RoundProgress> latest() {
        return last().map(Round::progress);
    }

    /** Returns whether a round is reading copies. */
    boolean isReading() {
        return last().filter(round -> round.state() == State.READING).isPresent();
    }

    /** Takes the present conditions of the stores, and the tasks that the queue dropped. */
    void look(Map<StoreId, StoreCondition> now) {
        stores = now;
        last().ifPresent(round -> {
            round.skipped(round.due.look(now));
            if (!round.state().isOver() && round.isAbandoned(context.ticker().nanos())) {
                round.state(State.CANCELLED);
            }
        });
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        Optional<Round> found = last();
        if (found.isEmpty()) {
            return false;
        }
        Round round = found.get();
        return switch (round.state()) {
            case READING -> read(round);
            case REPAIRING -> {
                repair.ask(round.repair);
                if (round.repair.isOver()) {
                    repair.forget(round.repair);
                    round.state(State.DONE);
                }
                yield false;
            }
            case CANCELLED -> {
                round.due.cancel();
                round.repair.cancel(queue);
                repair.forget(round.repair);
                yield false;
            }
            case DONE -> false;
        };
    }

    private boolean read(Round round) throws CloudMwException {
        round.skipped(round.due.offer());
        if (!round.due.isEmpty()) {
            return false;
        }
        Optional<ChunkWalk.Stretch> next =
                round.walk.isEmpty() ? Optional.empty() : round.walk.get().next();
        if (next.isPresent()) {
            collect(round, next.get());
            return true;
        }
        round.walk = Optional.empty();
        if (round.due.underWay().isEmpty()) {
            round.state(State.REPAIRING);
            return true;
        }
        return false;
    }

    private void collect(Round round, ChunkWalk.Stretch stretch) {
        if (!round.scope.hasFile(stretch.file())) {
            return;
        }
        for (CurrentReplicas copies : stretch.chunks()) {
            List<StoreId> wanted = copies.stores().stream()
                    .filter(id -> round.scope.hasStore(id) && copies.isGood(id))
                    .toList();
            wanted.forEach(id -> add(round, stretch, copies, id));
            round.looked(wanted.isEmpty() ? 0 : 1);
        }
    }

    private void add(Round round, ChunkWalk.Stretch stretch, CurrentReplicas copies, StoreId id) {
        StoreCondition store = stores.get(id);
        if (store == null) {
            round.skipped(1);
        } else {
            round.due.add(new Task.Verify(copies.chunk(), store.candidate().store(), stretch.file()));
        }
    }

    /** Records the result of a verified copy. */
    void verified(Task.Verify task, long bytes, boolean bad) {
        last().filter(round -> round.due.done(task)).ifPresent(round -> round.verified(bytes, bad));
    }

    /** Records that a copy could not be read. */
    void failed(Task.Verify task) {
        last().filter(round -> round.due.done(task)).ifPresent(round -> round.skipped(1));
    }
}
