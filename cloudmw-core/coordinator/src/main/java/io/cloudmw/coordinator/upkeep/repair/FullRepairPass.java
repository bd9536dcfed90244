package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.coordinator.upkeep.walk.WalkCheckpoint;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.MissingHelper;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.Task;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A repair pass over every chunk of every current version, and its outcome. It starts where the last pass stopped, goes
 * to the end, and then from the start to there. Confined to one thread.
 */
final class FullRepairPass implements ChunkWalk {
    private final Catalog catalog;
    private final TaskQueue queue;
    private final WalkCheckpoint checkpoint;
    private final String from;
    private final boolean waits;
    private final CopyConditions standing;

    /** The keys of tasks that may not be over. */
    private final Set<String> offered = new HashSet<>();

    private ManifestWalk leg;
    private boolean last;
    private boolean busy;
    private boolean obstructed;

    /** The position before the first task that did not fit into the queue. */
    private Optional<String> left = Optional.empty();

    /**
     * The conditions that decide whether chunks can be copied.
     *
     * @param stores the conditions of the stores
     * @param open helpers that chunks waited for, and that are there now
     */
    record CopyConditions(Map<StoreId, List<Boolean>> stores, Set<MissingHelper> open) {}

    /**
     * The outcome of a pass.
     *
     * @param from where the next pass begins
     * @param left whether some tasks did not fit into the queue; the next pass begins there and waits for room
     * @param busy whether there was something to do
     * @param obstructed the conditions of that time, if some chunk could not be copied
     */
    record Outcome(String from, boolean left, boolean busy, Optional<CopyConditions> obstructed) {
        static final Outcome NONE = new Outcome("", false, false, Optional.empty());

        /** Returns the outcome of a pass that was stopped at a position. */
        static Outcome at(String position) {
            return new Outcome(position, false, false, Optional.empty());
        }

        /** Returns whether another pass may find work that this pass could not do. */
        boolean isToBeRepeated(CopyConditions now) {
            return busy || obstructed.filter(then -> !then.equals(now)).isPresent();
        }
    }

    /**
     * Creates a pass that has seen nothing yet.
     *
     * @param from as for {@link ManifestWalk}
     * @param waits whether the pass waits when the queue is full, instead of looking for more urgent work
     */
    FullRepairPass(
            Catalog catalog, TaskQueue queue, Ticker ticker, String from, boolean waits, CopyConditions standing) {
        this.catalog = catalog;
        this.queue = queue;
        this.checkpoint = new WalkCheckpoint(ticker);
        this.from = from;
        this.waits = waits;
        this.standing = standing;
        this.leg = new ManifestWalk(catalog, from);
        this.last = ManifestWalk.versionAt(from).isEmpty();
    }

    @Override
    public Optional<Stretch> next() throws CloudMwException {
        Optional<Stretch> next = leg.next();
        if (next.isPresent() || last) {
            return next;
        }
        last = true;
        leg = ManifestWalk.upTo(catalog, from);
        return leg.next();
    }

    boolean waits() {
        return waits;
    }

    /** Counts the plan of a chunk. */
    void count(RepairPlan plan) {
        busy |= !plan.targets().isEmpty();
        obstructed |= plan.obstacle().isPresent() && !plan.obstacle().equals(Optional.of(RepairObstacle.AWAITED));
    }

    /** Records that the queue has a task. */
    void offered(Task.Copy task) {
        if (offered.size() >= 2 * TaskQueue.MAX_TASKS) {
            prune();
        }
        offered.add(task.copy());
    }

    /** Records that the queue has no room for a task about the last stretch. */
    void leave(Task.Copy task) {
        if (left.isEmpty()) {
            left = Optional.of(leg.positionAt(task.chunk().index()));
        }
    }

    private Set<String> prune() {
        offered.removeIf(key -> !queue.contains(key));
        return offered;
    }

    /** Returns where another pass is to continue. */
    String position() {
        return left.orElseGet(leg::position);
    }

    /**
     * Returns a position behind which nothing is left to do, if one is to be stored now.
     *
     * @param waiting tasks about the last stretch that are not in the queue yet, in the order of the chunks
     */
    Optional<String> reached(Deque<Task.Copy> waiting) {
        return checkpoint.reached(
                () -> waiting.isEmpty()
                        ? position()
                        : leg.positionAt(waiting.element().chunk().index()),
                this::prune);
    }

    /** Confirms that the position of {@link #reached} was stored. */
    void noted() {
        checkpoint.noted();
    }

    /** Returns the outcome at the end. */
    Outcome outcome() {
        return new Outcome(
                left.orElse(""), left.isPresent(), busy, obstructed ? Optional.of(standing) : Optional.empty());
    }
}
