package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.RepairProgress;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.upkeep.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is under way under one lease, and ends with it. {@link #tick} is called by one thread, the rest by any. */
final class Term {
    private static final Logger LOG = LoggerFactory.getLogger(Term.class);

    /** No job works longer in one tick, so that helpers, the clock and the others are heard. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** But repair, while copies of stores are to be made up for: a third of the pause between ticks. */
    private static final int PRESSED = 3;

    /** And collection, where a slow catalog makes the rest of a tick long: as long as that, within this. */
    private static final long LONGEST_TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A helper that asks waits for its answer: what is left then it is given when it asks again. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Tasks are numbered from the time of the start on, in units of so small a part of a millisecond. */
    private static final int NUMBER_BITS = 20;

    private final Lease lease;
    private final Catalog catalog;
    private final Ticker ticker;
    private final WallClock clock;
    private final WorkQueue queue;
    private final Repair repair;
    private final Replacements replacements;
    private final Reshaping reshaping;
    private final Scrub scrub;
    private final AskedRounds rounds;
    private final UpkeepClock age;
    private final AwayNotes away;
    private final Deletions deletions;
    private final long pressedNanos;
    private final Collector collector;
    private volatile Map<StoreId, StoreCondition> stores = Map.of();

    /**
     * @param lease renewed elsewhere
     * @param pause between ticks
     * @param graceMillis how long a copy must have been without a name before it is deleted
     */
    Term(
            Lease lease,
            Catalog catalog,
            UpkeepOptions options,
            Duration pause,
            long graceMillis,
            Ticker ticker,
            WallClock clock) {
        this.lease = lease;
        this.catalog = catalog;
        this.ticker = ticker;
        this.clock = clock;
        this.queue = new WorkQueue(ticker, options.taskLife().toNanos(), clock.millis() << NUMBER_BITS);
        this.age = new UpkeepClock(catalog, lease, ticker);
        this.collector = new Collector(catalog, lease, queue, age, options, graceMillis, ticker, clock);
        this.away = new AwayNotes(catalog, lease, age, options.repairAfter());
        this.deletions = new Deletions(catalog, lease, age, options);
        this.reshaping = new Reshaping(catalog, lease, age, collector, options, graceMillis, clock);
        this.repair = new Repair(
                catalog,
                lease,
                queue,
                options,
                reshaping,
                age,
                deletions::areOver,
                collector::mayBeDeleted,
                ticker,
                clock);
        this.replacements = new Replacements(catalog, lease, queue, repair, ticker, clock);
        this.pressedNanos = Math.max(TURN_NANOS, pause.toNanos() / PRESSED);
        this.scrub = new Scrub(catalog, lease, queue, options, ticker, clock);
        this.rounds = new AskedRounds(catalog, queue, repair, options, ticker, clock);
    }

    /**
     * Goes on where another coordinator was; before the first {@link #tick}.
     *
     * @return for how long stores were away when that was
     */
    Map<StoreId, Duration> begin() throws CloudMwException {
        age.keep();
        deletions.begin();
        reshaping.begin();
        repair.begin();
        replacements.begin();
        return away.begin();
    }

    long epoch() {
        return lease.epoch();
    }

    Lease lease() {
        return lease;
    }

    WorkQueue queue() {
        return queue;
    }

    /** How far repair is, that of replaced stores included. */
    RepairProgress repairing() {
        return repair.progress(replacements.progress());
    }

    Reshaping reshaping() {
        return reshaping;
    }

    Scrub scrub() {
        return scrub;
    }

    AskedRounds rounds() {
        return rounds;
    }

    Collector collector() {
        return collector;
    }

    /**
     * What a helper is given now. What is to be deleted the catalog is asked about once more; where a copy may have been ordered to be
     * deleted since a new one was planned there, none is made: it is planned again.
     */
    List<WorkQueue.Given> give(HelperId helper, int room, Predicate<Task> able) throws CloudMwException {
        long began = ticker.nanos();
        List<WorkQueue.Given> confirmed = new ArrayList<>();
        List<WorkQueue.Given> next = queue.take(helper, Math.min(room, 1), able);
        while (!next.isEmpty()) {
            WorkQueue.Given given = next.get(0);
            if (isStillWanted(given.task())) {
                confirmed.add(given);
            } else {
                queue.done(given.number());
            }
            boolean more =
                    confirmed.size() < Math.min(room, WorkQueue.MAX_GIVEN) && ticker.nanos() - began < ANSWER_NANOS;
            next = more ? queue.take(helper, 1, able) : List.of();
        }
        return confirmed;
    }

    private boolean isStillWanted(Task task) throws CloudMwException {
        if (task instanceof Task.Delete delete) {
            deletions.order();
            return collector.confirm(delete);
        }
        return !(task instanceof Task.Copy copy)
                || !collector.mayBeDeleted(copy.chunk().id(), copy.store().id());
    }

    /** Some work; whether there is more. */
    private interface Job {
        boolean step() throws CloudMwException;
    }

    /** Goes on with what there is to do, for a bounded time. */
    void tick(Map<StoreId, StoreCondition> seen, Fleet fleet) throws CloudMwException {
        long began = ticker.nanos();
        stores = seen;
        age.keep();
        repair.failed(queue.expire(fleet::isAlive, task -> isPossible(task, fleet)));
        away.keep(seen);
        reshaping.look(seen);
        repair.look(seen, fleet.copyWays());
        replacements.look(seen);
        turn(replacements::step, TURN_NANOS);
        turn(repair::step, repair.isPressed() ? pressedNanos : TURN_NANOS);
        turn(reshaping::step, TURN_NANOS);
        rounds.look(seen);
        turn(rounds::step, TURN_NANOS);
        scrub.look(seen);
        if (!rounds.isReading()) { // both together would read stores twice as fast
            turn(scrub::step, TURN_NANOS);
        }
        collector.look(seen);
        turn(collector::step, Math.min(LONGEST_TURN_NANOS, Math.max(TURN_NANOS, ticker.nanos() - began)));
    }

    private static boolean isPossible(Task task, Fleet fleet) {
        Optional<HelperId> owner = task.store().owner();
        return owner.isPresent()
                ? fleet.canDo(owner.get(), task)
                : fleet.live().isEmpty() || fleet.live().stream().anyMatch(helper -> fleet.canDo(helper.id(), task));
    }

    private void turn(Job job, long longestNanos) throws CloudMwException {
        long began = ticker.nanos();
        boolean more = true;
        while (more && ticker.nanos() - began < longestNanos) {
            more = job.step();
        }
    }

    /** Takes note of what a helper says of a task, unless it was taken back meanwhile. */
    void take(HelperId helper, TaskResult result) throws CloudMwException {
        Optional<Task> task = queue.find(helper, result.task());
        if (task.isEmpty()) {
            return;
        }
        boolean faulty = report(task.get(), result);
        if (result.failure().isPresent()) {
            LOG.info("upkeep: helper {} failed at {}: {}", helper, task.get().about(), result.message());
            failed(task.get(), result);
            return;
        }
        if (task.get() instanceof Task.Copy copy) {
            repair.copied(copy, result.bytes(), stores);
        } else if (task.get() instanceof Task.Verify verify) {
            scrub.verified(verify, result.bytes(), faulty);
            rounds.verified(verify, result.bytes(), faulty);
        }
        Runnable done = () -> queue.done(result.task());
        if (task.get() instanceof Task.Look look) {
            replacements.looked(
                    look, result.listed().items().stream().map(StoredChunk::id).toList(), done);
        } else if (task.get() instanceof Task.Survey survey) {
            collector.surveyed(survey, result.listed(), done);
        } else if (task.get() instanceof Task.Delete delete) {
            collector.deleted(delete, result.bytes(), done);
        } else {
            done.run();
        }
    }

    /** Whether copies were found to be bad. */
    private boolean report(Task task, TaskResult result) throws CloudMwException {
        if (!(task instanceof Task.OfCopy copy)) {
            return false;
        }
        List<ReplicaReport> faults = result.faults().stream()
                .filter(fault -> fault.chunk().equals(copy.chunk().id()))
                .toList();
        if (!faults.isEmpty()) {
            catalog.report(faults, clock.millis());
        }
        return !faults.isEmpty();
    }

    private void failed(Task task, TaskResult result) {
        if (task instanceof Task.Verify verify) {
            scrub.failed(verify);
            rounds.failed(verify);
            queue.done(result.task());
            return;
        }
        if (task instanceof Task.Copy) {
            repair.failed(1);
        }
        if (task instanceof Task.Copy
                && result.blamed().equals(Optional.of(task.store().id()))) {
            repair.refusedBy(task.store().id());
        }
        if (!queue.failed(result.task())) {
            LOG.warn("upkeep: {} was tried often enough for now", task.about());
        }
    }
}
