package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.upkeep.RoundScope;
import io.cloudmw.core.upkeep.Task;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Repair of the chunks that a round is about: passes over them, until one finds nothing more to do or nothing came of the one
 * before. {@link #arrived} may be called by any thread, the rest by one.
 */
final class AskedRepair {
    private final RoundScope scope;
    private boolean passing;
    private boolean passed;
    private boolean busy;
    private long repairedBefore;
    private boolean over;

    /** CurrentReplicas that were given out and may not be over. */
    @GuardedBy("this")
    private final Set<String> offered = new HashSet<>();

    @GuardedBy("this")
    private long looked;

    @GuardedBy("this")
    private long repaired;

    @GuardedBy("this")
    private long repairedBytes;

    /** As the last pass saw it; while one goes on, as the one before did. */
    @GuardedBy("this")
    private long left;

    private long leftOfPass;

    AskedRepair(RoundScope scope) {
        this.scope = scope;
    }

    /** Only the chunks that it is about. */
    private record Scoped(ManifestWalk all, RoundScope scope) implements Walk {
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

    Walk begin(Catalog catalog) {
        passing = true;
        busy = false;
        leftOfPass = 0;
        repairedBefore = repaired();
        return new Scoped(new ManifestWalk(catalog), scope);
    }

    /** Takes note of a decision about a chunk. */
    synchronized void saw(RepairPlan plan, int replicas) {
        busy |= !plan.targets().isEmpty();
        leftOfPass += plan.good() < replicas ? 1 : 0;
        looked += passed ? 0 : 1;
    }

    synchronized void offered(Task.Copy task) {
        offered.add(task.copy());
    }

    /** A copy was made. */
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

    /** The pass was given up on its way: it begins anew. */
    void givenUp() {
        passing = false;
    }

    boolean isOver() {
        return over;
    }

    /** Takes back what no helper has yet. */
    void cancel(WorkQueue queue) {
        over = true;
        synchronized (this) {
            offered.forEach(queue::withdraw);
            offered.clear();
        }
    }

    synchronized long looked() {
        return looked;
    }

    synchronized long repaired() {
        return repaired;
    }

    synchronized long repairedBytes() {
        return repairedBytes;
    }

    synchronized long left() {
        return left;
    }
}
