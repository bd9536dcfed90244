package io.cloudmw.coordinator.upkeep.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.coordinator.upkeep.walk.ManifestWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.RoundScope;
import io.cloudmw.core.upkeep.Task;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The repair of the chunks in a requested round. Passes repeat until one finds nothing more to do, or the one before
 * achieved nothing. {@link #arrived} may be called by any thread, other methods by one.
 */
public final class RequestedRepair {
    private final RoundScope scope;
    private boolean passing;
    private boolean passed;
    private boolean busy;
    private long repairedBefore;
    private boolean over;

    /** The copies that were queued and may not be over. */
    @GuardedBy("this")
    private final Set<String> offered = new HashSet<>();

    @GuardedBy("this")
    private long looked;

    @GuardedBy("this")
    private long repaired;

    @GuardedBy("this")
    private long repairedBytes;

    /** The chunks left, as the last completed pass saw them. */
    @GuardedBy("this")
    private long left;

    private long leftOfPass;

    public RequestedRepair(RoundScope scope) {
        this.scope = scope;
    }

    /** A walk over the chunks of the round alone. */
    private record ScopedWalk(ManifestWalk all, RoundScope scope) implements ChunkWalk {
        @Override
        public Optional<Stretch> next() throws CloudMwException {
            Optional<Stretch> next = all.next();
            return next.map(found -> new Stretch(
                    found.file(),
                    found.volume(),
                    scope.hasFile(found.file())
                            ? found.chunks().stream()
                                    .filter(chunk -> isOfStore(chunk, scope))
                                    .toList()
                            : List.of()));
        }

        private static boolean isOfStore(CurrentReplicas chunk, RoundScope scope) {
            return Stream.concat(chunk.stores().stream(), chunk.chunk().replicas().stream())
                    .anyMatch(scope::hasStore);
        }
    }

    /** Returns whether another pass is to begin now. */
    boolean wantsPass(Predicate<String> isInQueue) {
        if (over || passing || !settled(isInQueue)) {
            return false;
        }
        boolean moved = repaired() > repairedBefore;
        over = passed && (!busy || !moved);
        return !over;
    }

    private synchronized boolean settled(Predicate<String> isInQueue) {
        offered.removeIf(copy -> !isInQueue.test(copy));
        return offered.isEmpty();
    }

    ChunkWalk begin(Catalog catalog) {
        passing = true;
        busy = false;
        leftOfPass = 0;
        repairedBefore = repaired();
        return new ScopedWalk(new ManifestWalk(catalog), scope);
    }

    /** Counts the plan of a chunk. */
    synchronized void count(RepairPlan plan, int replicas) {
        busy |= !plan.targets().isEmpty();
        leftOfPass += plan.good() < replicas ? 1 : 0;
        looked += passed ? 0 : 1;
    }

    synchronized void offered(Task.Copy task) {
        offered.add(task.copy());
    }

    /** Counts a copy that was made. */
    synchronized void arrived(Task.Copy task, long bytes) {
        if (offered.remove(task.copy())) {
            repaired++;
            repairedBytes += bytes;
        }
    }

    void ended() {
        passing = false;
        passed = true;
        synchronized (this) {
            left = leftOfPass;
        }
    }

    /** Restarts the pass, which was stopped. */
    void givenUp() {
        passing = false;
    }

    public boolean isOver() {
        return over;
    }

    /** Withdraws the tasks that no helper has yet. */
    public void cancel(TaskQueue queue) {
        over = true;
        synchronized (this) {
            offered.forEach(queue::withdraw);
            offered.clear();
        }
    }

    public synchronized long looked() {
        return looked;
    }

    public synchronized long repaired() {
        return repaired;
    }

    public synchronized long repairedBytes() {
        return repairedBytes;
    }

    public synchronized long left() {
        return left;
    }
}
