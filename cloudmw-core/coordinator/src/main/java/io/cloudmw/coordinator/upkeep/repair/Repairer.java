package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.upkeep.reshape.VolumeReshaping;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.CopyEligibility;
import io.cloudmw.coordinator.upkeep.task.EarlierDeletions;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.PendingReplicaWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The repair of replicas: finds chunks with too few good copies and has them copied. Passes over recorded replicas run
 * every {@code interval}. Passes over all manifests run while stores are lost: at once when a store is lost, again as long
 * as they find work, and seldom otherwise. All passes take bounded steps and at most a quarter of the time.
 *
 * <p>The first full pass does not wait for helpers: work beyond the queue's room is left to the next, so that chunks with
 * the fewest copies come first. The position of a full pass is stored every few seconds. The next holder continues there,
 * then covers what came before. A lease has its own object; its memory ends with the lease. {@link #begin}, {@link #step} and
 * {@link #look} are called by one thread, other methods by any.
 */
public final class Repairer {
    private final UpkeepContext context;
    private final TaskQueue queue;
    private final VolumeReshaping reshaping;
    private final RepairPlanner planner;
    private final RepairSituations situations;
    private final RepairSchedule schedule;
    private final FullPasses fullPasses;
    private final RepairStatistics statistics = new RepairStatistics();
    private final RemadeCopies remade = new RemadeCopies();
    private final RecentCopies recent = new RecentCopies();

    private @Nullable RepairPassState pass;

    /** The requested repair, if any. */
    private volatile @Nullable RequestedRepair requested;

    /**
     * @param reshaping is told of each full pass
     * @param earlier the deletions that another coordinator has ordered
     * @param mayBeDeleted whether a helper may still delete a copy; none is made there meanwhile
     */
    public Repairer(
            UpkeepContext context,
            TaskQueue queue,
            VolumeReshaping reshaping,
            EarlierDeletions earlier,
            BiPredicate<ChunkId, StoreId> mayBeDeleted) {
        this.context = context;
        this.queue = queue;
        this.reshaping = reshaping;
        this.planner = new RepairPlanner(context.options().owedAfter().toMillis());
        this.situations = new RepairSituations(context, earlier, mayBeDeleted);
        this.schedule = new RepairSchedule(
                context.ticker(), context.options().interval().toNanos());
        this.fullPasses = new FullPasses(context);
    }

    /** Continues the previous holder's work; called first. */
    public void begin() throws CloudMwException {
        fullPasses.begin();
    }

    /** Takes the present conditions of the stores and helpers, and stores the position. */
    public void look(Map<StoreId, StoreCondition> now, CopyEligibility eligibility) throws CloudMwException {
        situations.look(now, eligibility);
        Set<StoreId> used = reshaping.used();
        Set<String> causes = new HashSet<>(reshaping.unsettled());
        now.values().stream()
                .filter(store -> !store.keeps() && used.contains(store.id()))
                .forEach(store -> causes.add("store " + store.id()));
        RepairPassState running = pass;
        if (running != null && running.full().isPresent()) {
            fullPasses.noteReached(running.full().get(), running.found());
        }
        if (fullPasses.look(causes)) {
            restart();
        }
    }

    /** Stops the pass under way; a new one covers everything from its position on. */
    private void restart() {
        RepairPassState running = pass;
        fullPasses.restart(running == null ? Optional.empty() : running.full());
        if (running != null) {
            running.requested().ifPresent(RequestedRepair::givenUp);
        }
        pass = null;
        schedule.hurry();
    }

    /** Begins to repair the chunks of a requested round before all other work. Idempotent. */
    public void ask(RequestedRepair wanted) {
        requested = wanted;
    }

    /** Ends the requested round. */
    public void forget(RequestedRepair wanted) {
        if (wanted.equals(requested)) {
            requested = null;
            RepairPassState running = pass;
            if (running != null && running.requested().isPresent()) {
                pass = null;
            }
        }
    }

    /** Returns whether a full pass or a requested one is under way. */
    public boolean isPressed() {
        RepairPassState running = pass;
        return running != null
                && (running.full().isPresent() || running.requested().isPresent());
    }

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
        long began = context.ticker().nanos();
        try {
            return worked();
        } finally {
            schedule.worked(context.ticker().nanos() - began);
        }
    }

    private boolean worked() throws CloudMwException {
        RepairPassState running = pass;
        if (running == null) {
            return beginPass();
        }
        if (!offerFound(running)) {
            return false;
        }
        Optional<ChunkWalk.Stretch> next = running.walk().next();
        if (next.isEmpty()) {
            end(running);
            return false;
        }
        consider(running, next.get());
        return true;
    }

    /** Offers the found tasks to the queue. Returns false when the queue is full; the pass then waits with the rest. */
    private boolean offerFound(RepairPassState running) {
        while (!running.found().isEmpty()) {
            if (!offer(running, running.found().element())) {
                return false;
            }
            running.found().remove();
        }
        return true;
    }

    private boolean offer(RepairPassState running, Task.Copy task) {
        // The order matters: a finished copy is recorded here before it leaves the queue.
        boolean taken = queue.contains(task.copy()) || recent.contains(task.copy()) || queue.offer(task);
        if (taken) {
            running.full().ifPresent(full -> full.offered(task));
            running.requested().ifPresent(wanted -> wanted.offered(task));
        }
        return taken;
    }

    private boolean beginPass() {
        RequestedRepair wanted = requested;
        RepairTally tally = new RepairTally(situations.stores());
        if (wanted != null && wanted.wantsPass(queue::contains)) {
            pass = RepairPassState.onRequest(wanted, wanted.begin(context.catalog()), tally);
        } else if (!schedule.isDue()) {
            return false;
        } else if (fullPasses.isDue(this::standing)) {
            pass = RepairPassState.overAll(fullPasses.start(queue, standing()), tally);
            reshaping.lookBegins();
        } else {
            pass = RepairPassState.overRecords(new PendingReplicaWalk(context.catalog()), tally);
            fullPasses.otherBegan();
        }
        schedule.began();
        statistics.passBegan();
        remade.passBegan();
        recent.passBegan();
        return true;
    }

    private FullRepairPass.CopyConditions standing() {
        return situations.standing(statistics.published().waits());
    }

    private void end(RepairPassState ended) throws CloudMwException {
        if (ended.requested().isPresent()) {
            pass = null;
            ended.requested().get().ended();
            statistics.requestedPassEnded();
            return;
        }
        if (ended.full().isEmpty()) {
            fullPasses.otherEnded();
        } else if (fullPasses.ended(ended.full().get())) {
            reshaping.lookEnded();
        }
        pass = null;
        schedule.ended();
        remade.passEnded(ended.tally().missing());
        // While stores are lost or volumes changed, the recorded replicas are only part of the work.
        boolean complete = ended.full().isPresent() || !fullPasses.hasCauses();
        statistics.passEnded(
                complete ? Optional.of(ended.tally()) : Optional.empty(),
                context.ticker().nanos());
    }

    /** Sets whether copies of replaced stores are missing, so that the next pass comes soon. */
    public void press(boolean now) {
        schedule.press(now);
    }

    /** Returns how many passes have begun. */
    public long passesBegun() {
        return remade.passesBegun();
    }

    /** Returns the missing copies of a replaced store, as a pass saw that began after so many; empty: none has ended yet. */
    public Optional<Long> missing(StoreId store, long afterPasses) {
        return remade.missing(store, afterPasses);
    }

    /** Returns the copies of replaced stores that were made again since the last call. */
    public Map<StoreId, Long> takeRemade() {
        return remade.take();
    }

    private void consider(RepairPassState running, ChunkWalk.Stretch stretch) throws CloudMwException {
        Volume volume = stretch.volume();
        RepairPlanner.Situation now = situations.toPlan(volume, stretch.chunks());
        List<ReplicaRecord> drops = new ArrayList<>();
        for (CurrentReplicas copies : stretch.chunks()) {
            RepairPlan plan = planner.plan(copies, volume.replicas(), now);
            running.tally().add(plan, volume.replicas());
            running.tally().add(copies);
            drops.addAll(stamped(plan.drops()));
            if (running.full().isPresent()) {
                running.full().get().count(plan);
                reshaping.count(stretch, copies, plan.good(), plan.isSettled());
            }
            running.requested().ifPresent(wanted -> wanted.count(plan, volume.replicas()));
            for (Store target : plan.targets()) {
                add(running, new Task.Copy(copies.chunk(), target, stretch.file(), plan.sources(), plan.good()));
            }
        }
        context.settle(drops);
        statistics.dropped(drops.size());
    }

    /** Queues a task; without room it waits, or is left to the next pass. */
    private void add(RepairPassState running, Task.Copy task) {
        Optional<FullRepairPass> full = running.full();
        if (full.isEmpty() || full.get().waits()) {
            running.found().add(task);
        } else if (!offer(running, task)) {
            full.get().leave(task);
        }
    }

    /** Stamps dropped copies with upkeep's clock, since their age decides when they are deleted. */
    private List<ReplicaRecord> stamped(List<ReplicaRecord> drops) {
        return drops.stream()
                .map(drop -> new ReplicaRecord(
                        drop.chunk(), drop.store(), drop.state(), context.age().millis()))
                .toList();
    }

    /**
     * Records a new copy and drops the ones it makes superfluous. If two helpers report the same copy, since the first took
     * too long, one report takes effect.
     *
     * @param conditions the conditions of the stores
     */
    public void copied(Task.Copy task, long bytes, Map<StoreId, StoreCondition> conditions) throws CloudMwException {
        Optional<Volume> volume = context.catalog().volume(task.file().volume());
        if (volume.isEmpty() || !recent.beginArrival(task.copy())) {
            return;
        }
        try {
            long dropping = settle(task, volume.get(), conditions);
            arrived(task, bytes, dropping);
        } finally {
            recent.endArrival(task.copy());
        }
    }

    /** Records in the catalog what is new; returns how many copies are dropped. */
    private long settle(Task.Copy task, Volume volume, Map<StoreId, StoreCondition> conditions)
            throws CloudMwException {
        CurrentReplicas before =
                ReplicaOverlay.of(context.catalog(), List.of(task.chunk())).get(0);
        ReplicaRecord arrived =
                before.arrived(task.store().id(), context.clock().millis());
        CurrentReplicas after = before.with(List.of(arrived));
        RepairPlanner.Situation now = situations.toDrop(volume, after, conditions);
        List<ReplicaRecord> drops =
                stamped(planner.plan(after, volume.replicas(), now).drops());
        List<ReplicaRecord> changes = new ArrayList<>(drops);
        if (!before.isGood(task.store().id())) {
            changes.add(0, arrived);
        }
        if (!changes.isEmpty()) {
            context.catalog()
                    .settle(context.lease(), changes.subList(0, Math.min(changes.size(), UpkeepRecords.MAX_SETTLED)));
        }
        CurrentReplicas settled = after.with(drops);
        remade.count(RepairTally.replaced(conditions).stream()
                .filter(store -> RepairTally.isMissing(before, store) && !RepairTally.isMissing(settled, store))
                .toList());
        return drops.size();
    }

    private void arrived(Task.Copy task, long bytes, long dropping) {
        RequestedRepair wanted = requested;
        if (wanted != null) {
            wanted.arrived(task, bytes);
        }
        recent.made(task.copy());
        situations.backoffs().accepted(task.store().id());
        statistics.copied(bytes, dropping);
    }

    /** Counts a write that failed for a reason of the store; after some of them repair avoids the store for a while. */
    public void refusedBy(StoreId store) {
        situations.backoffs().refused(store);
    }

    public void failed(int attempts) {
        statistics.failed(attempts);
    }

    /**
     * Returns the progress of repair.
     *
     * @param replaced stores whose disk or bucket was replaced
     */
    public RepairProgress progress(SortedMap<StoreId, ReplacedProgress> replaced) {
        return statistics.progress(replaced, context.ticker().nanos());
    }
}
