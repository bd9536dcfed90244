package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.upkeep.Task;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The full repair passes under one lease: when one is due, where it begins, and its position in the catalog for the next
 * holder. Confined to one thread; calls block on the catalog.
 */
final class FullPasses {
    /** The key of the note with the position of a full pass. */
    static final String NOTE = "repair";

    /** The number of passes over recorded replicas between two full passes that found nothing to do. */
    private static final int BETWEEN = 12;

    private final UpkeepContext context;

    /** The reasons for a full pass: lost or drained stores and changed volumes. */
    private Set<String> causes = Set.of();

    /** True when a new reason has come since the last full pass began. */
    private boolean anew;

    private int passesSince;

    /** The outcome of the last full pass that ended, or that was under way before. */
    private FullRepairPass.Outcome last = FullRepairPass.Outcome.NONE;

    private String noted = "";

    FullPasses(UpkeepContext context) {
        this.context = context;
    }

    /** Continues where the previous holder was. */
    void begin() throws CloudMwException {
        noted = context.catalog().notes().startingWith(NOTE).getOrDefault(NOTE, "");
        last = FullRepairPass.Outcome.at(noted);
    }

    /** Takes the present reasons; returns whether there is a new one. */
    boolean look(Set<String> now) {
        boolean more = !causes.containsAll(now);
        causes = new HashSet<>(now);
        return more;
    }

    boolean hasCauses() {
        return !causes.isEmpty();
    }

    /** Requires another full pass; the present one, if any, is stopped. */
    void restart(Optional<FullRepairPass> stopped) {
        anew = true;
        stopped.ifPresent(pass -> last = FullRepairPass.Outcome.at(pass.position()));
    }

    boolean isDue(Supplier<FullRepairPass.CopyConditions> standing) {
        return hasCauses()
                && (anew || passesSince >= BETWEEN || (passesSince > 0 && last.isToBeRepeated(standing.get())));
    }

    /** Begins a full pass. */
    FullRepairPass start(TaskQueue queue, FullRepairPass.CopyConditions standing) {
        FullRepairPass pass = new FullRepairPass(
                context.catalog(), queue, context.ticker(), last.from(), !anew && last.left(), standing);
        anew = false;
        passesSince = 0;
        return pass;
    }

    /** Counts a pass over recorded replicas. */
    void otherBegan() {
        passesSince++;
    }

    /** Ends a full pass; returns whether all of its tasks are in the queue. */
    boolean ended(FullRepairPass pass) throws CloudMwException {
        last = pass.outcome();
        note(last.from());
        return !last.left();
    }

    /** Ends a pass over recorded replicas. */
    void otherEnded() throws CloudMwException {
        if (!hasCauses()) {
            note("");
        }
    }

    /**
     * Stores the position of a pass, if it has moved.
     *
     * @param waiting tasks about the last stretch that are not in the queue yet
     */
    void noteReached(FullRepairPass pass, Deque<Task.Copy> waiting) throws CloudMwException {
        Optional<String> behind = pass.reached(waiting);
        if (behind.isPresent()) {
            note(behind.get());
            pass.noted();
        }
    }

    private void note(String position) throws CloudMwException {
        if (!position.equals(noted)) {
            context.catalog().notes().put(context.lease(), NOTE, position);
            noted = position;
        }
    }
}
