package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.AwaitedHelper;
import io.cloudmw.core.upkeep.Obstacle;
import io.cloudmw.core.upkeep.Task;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One look of repair at every chunk of every current version, from where another one was to the end and then from the start to
 * there; and what came of it. Confined to one thread.
 */
final class FullLook implements Walk {
    private final Catalog catalog;
    private final WorkQueue queue;
    private final Checkpoint checkpoint;
    private final String from;
    private final boolean waits;
    private final Standing standing;

    /** Keys of tasks that may not be over. */
    private final Set<String> offered = new HashSet<>();

    private ManifestWalk leg;
    private boolean last;
    private boolean busy;
    private boolean obstructed;

    /** Before the first task that the queue had no room for. */
    private Optional<String> left = Optional.empty();

    /**
     * What it depends on whether chunks can be copied.
     *
     * @param stores each told apart from the same in another condition
     * @param open helpers that chunks waited for, and that are there now
     */
    record Standing(Map<StoreId, List<Boolean>> stores, Set<AwaitedHelper> open) {}

    /**
     * What came of a look.
     *
     * @param from where the next is to begin
     * @param left whether some tasks had no room: there the next is to begin, and to wait until they have
     * @param busy whether there was something to do
     * @param obstructed by how things stood then, if some chunk could not be copied
     */
    record Outcome(String from, boolean left, boolean busy, Optional<Standing> obstructed) {
        static final Outcome NONE = new Outcome("", false, false, Optional.empty());

        /** Of one that was given up there. */
        static Outcome at(String position) {
            return new Outcome(position, false, false, Optional.empty());
        }

        /** Whether another look may find what this one had done, or could not. */
        boolean isToBeRepeated(Standing now) {
            return busy || obstructed.filter(then -> !then.equals(now)).isPresent();
        }
    }

    /**
     * Looks at nothing yet.
     *
     * @param from as for {@link ManifestWalk}
     * @param waits whether it waits when the queue is full, instead of looking for what is more urgent
     */
    FullLook(Catalog catalog, WorkQueue queue, Ticker ticker, String from, boolean waits, Standing standing) {
        this.catalog = catalog;
        this.queue = queue;
        this.checkpoint = new Checkpoint(ticker);
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

    /** What was decided about a chunk. */
    void saw(RepairPlan plan) {
        busy |= !plan.targets().isEmpty();
        obstructed |= plan.obstacle().isPresent() && !plan.obstacle().equals(Optional.of(Obstacle.AWAITED));
    }

    /** The queue has it. */
    void offered(Task.Copy task) {
        if (offered.size() >= 2 * WorkQueue.MAX_TASKS) {
            prune();
        }
        offered.add(task.copy());
    }

    /** The queue has no room for it, which is about a chunk of the last stretch. */
    void leave(Task.Copy task) {
        if (left.isEmpty()) {
            left = Optional.of(leg.positionAt(task.chunk().index()));
        }
    }

    private Set<String> prune() {
        offered.removeIf(key -> !queue.contains(key));
        return offered;
    }

    /** Where another one is to go on. */
    String position() {
        return left.orElseGet(leg::position);
    }

    /**
     * A position behind which nothing is left to do, if one is to be noted now.
     *
     * @param waiting tasks about chunks of the last stretch that are not in the queue yet, in the order of the chunks
     */
    Optional<String> reached(Deque<Task.Copy> waiting) {
        return checkpoint.reached(
                () -> waiting.isEmpty()
                        ? position()
                        : leg.positionAt(waiting.element().chunk().index()),
                this::prune);
    }

    /** What {@link #reached} gave is noted. */
    void noted() {
        checkpoint.noted();
    }

    /** At its end. */
    Outcome outcome() {
        return new Outcome(
                left.orElse(""), left.isPresent(), busy, obstructed ? Optional.of(standing) : Optional.empty());
    }
}
