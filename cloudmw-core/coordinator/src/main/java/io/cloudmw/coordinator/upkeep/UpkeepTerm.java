package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.collect.DeletionFence;
import io.cloudmw.coordinator.upkeep.collect.GarbageCollector;
import io.cloudmw.coordinator.upkeep.repair.Repairer;
import io.cloudmw.coordinator.upkeep.replace.ReplacedStores;
import io.cloudmw.coordinator.upkeep.reshape.VolumeReshaping;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepClock;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.upkeep.scrub.Scrubber;
import io.cloudmw.coordinator.upkeep.stores.StoreAbsences;
import io.cloudmw.coordinator.upkeep.stores.UpkeepFleet;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
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

/**
 * The work of upkeep under one lease, which ends with it. {@link #tick} is called by one thread, other methods by any.
 */
final class UpkeepTerm {
    private static final Logger LOG = LoggerFactory.getLogger(UpkeepTerm.class);

    /** The longest time of one job in one tick, so that helpers, the clock and other jobs get their turn. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The divisor of the tick interval that repair may use while copies of lost stores are missing: a third. */
    private static final int PRESSED = 3;

    /** The longest time of collection, which may take as long as the rest of a tick on a slow catalog. */
    private static final long LONGEST_TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The longest time to assign tasks in one call, since the helper waits; the rest is assigned when it asks again.
     */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Tasks are numbered from the start time on; each millisecond has 2<sup>20</sup> numbers. */
    private static final int NUMBER_BITS = 20;

    private final UpkeepContext context;
    private final TaskQueue queue;
    private final Repairer repair;
    private final ReplacedStores replacements;
    private final VolumeReshaping reshaping;
    private final Scrubber scrub;
    private final RequestedRounds rounds;
    private final StoreAbsences away;
    private final DeletionFence deletions;
    private final long pressedNanos;
    private final GarbageCollector collector;
    private volatile Map<StoreId, StoreCondition> stores = Map.of();

    /**
     * @param lease renewed elsewhere
     * @param pause between ticks
     * @param graceMillis how long a copy must have been unreferenced before it is deleted
     */
    UpkeepTerm(
            Lease lease,
            Catalog catalog,
            UpkeepOptions options,
            Duration pause,
            long graceMillis,
            Ticker ticker,
            WallClock clock) {
        UpkeepClock age = new UpkeepClock(catalog, lease, ticker);
        this.context = new UpkeepContext(catalog, lease, options, age, ticker, clock, graceMillis);
        this.queue = new TaskQueue(ticker, options.taskLife().toNanos(), clock.millis() << NUMBER_BITS);
        this.collector = new GarbageCollector(context, queue);
        this.away = new StoreAbsences(catalog, lease, age, options.repairAfter());
        this.deletions = new DeletionFence(catalog, lease, age, options);
        this.reshaping = new VolumeReshaping(context, collector);
        this.repair = new Repairer(context, queue, reshaping, deletions, collector::mayBeDeleted);
        this.replacements = new ReplacedStores(context, queue, repair);
        this.pressedNanos = Math.max(TURN_NANOS, pause.toNanos() / PRESSED);
        this.scrub = new Scrubber(context, queue);
        this.rounds = new RequestedRounds(context, queue, repair);
    }

    /**
     * Continues the work of the previous holder; called before the first {@link #tick}.
     *
     * @return how long stores were absent when the previous holder stopped
     */
    Map<StoreId, Duration> begin() throws CloudMwException {
        context.age().keep();
        deletions.begin();
        reshaping.begin();
        repair.begin();
        replacements.begin();
        return away.begin();
    }

    long epoch() {
        return context.lease().epoch();
    }

    Lease lease() {
        return context.lease();
    }

    TaskQueue queue() {
        return queue;
    }

    /** Returns the progress of repair, including replaced stores. */
    RepairProgress repairing() {
        return repair.progress(replacements.progress());
    }

    VolumeReshaping reshaping() {
        return reshaping;
    }

    Scrubber scrub() {
        return scrub;
    }

    RequestedRounds rounds() {
        return rounds;
    }

    GarbageCollector collector() {
        return collector;
    }

    /**
     * Returns the tasks for a helper. Each deletion is checked with the catalog again. No copy is made where one may
     * have been ordered to be deleted since the copy was planned; it is planned again.
     */
    List<TaskQueue.Assignment> assign(HelperId helper, int room, Predicate<Task> able) throws CloudMwException {
        long began = context.ticker().nanos();
        List<TaskQueue.Assignment> confirmed = new ArrayList<>();
        List<TaskQueue.Assignment> next = queue.take(helper, Math.min(room, 1), able);
        while (!next.isEmpty()) {
            TaskQueue.Assignment given = next.get(0);
            if (isStillWanted(given.task())) {
                confirmed.add(given);
            } else {
                queue.done(given.number());
            }
            boolean more = confirmed.size() < Math.min(room, TaskQueue.MAX_ASSIGNED)
                    && context.ticker().nanos() - began < ANSWER_NANOS;
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

    /** A job; returns whether there is more work. */
    private interface Job {
        boolean step() throws CloudMwException;
    }

    /** Continues the work for a bounded time. */
    void tick(Map<StoreId, StoreCondition> seen, UpkeepFleet fleet) throws CloudMwException {
        long began = context.ticker().nanos();
        stores = seen;
        context.age().keep();
        repair.failed(queue.expire(fleet::isAlive, task -> isPossible(task, fleet)));
        away.keep(seen);
        reshaping.look(seen);
        repair.look(seen, fleet.copyEligibility());
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
        turn(
                collector::step,
                Math.min(
                        LONGEST_TURN_NANOS,
                        Math.max(TURN_NANOS, context.ticker().nanos() - began)));
    }

    private static boolean isPossible(Task task, UpkeepFleet fleet) {
        Optional<HelperId> owner = task.store().owner();
        return owner.isPresent()
                ? fleet.canDo(owner.get(), task)
                : fleet.live().isEmpty() || fleet.live().stream().anyMatch(helper -> fleet.canDo(helper.id(), task));
    }

    private void turn(Job job, long longestNanos) throws CloudMwException {
        long began = context.ticker().nanos();
        boolean more = true;
        while (more && context.ticker().nanos() - began < longestNanos) {
            more = job.step();
        }
    }

    /** Records a helper's result, unless the task was taken back. */
    void record(HelperId helper, TaskResult result) throws CloudMwException {
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
        } else if (task.get() instanceof Task.Compact compact && result.made().isPresent()) {
            collector.compacted(compact, result.made().get(), done);
        } else if (task.get() instanceof Task.Survey survey) {
            collector.surveyed(survey, result.listed(), done);
        } else if (task.get() instanceof Task.Delete delete) {
            collector.deleted(delete, result.bytes(), done);
        } else {
            done.run();
        }
    }

    /** Records the faults in a result; returns whether copies were found to be bad. */
    private boolean report(Task task, TaskResult result) throws CloudMwException {
        if (!(task instanceof Task.OfCopy copy)) {
            return false;
        }
        List<ReplicaReport> faults = result.faults().stream()
                .filter(fault -> fault.chunk().equals(copy.chunk().id()))
                .toList();
        if (!faults.isEmpty()) {
            context.catalog().report(faults, context.clock().millis());
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
