package io.cloudmw.coordinator.upkeep.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.upkeep.task.TaskQueue;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** The copies made since the pass began, which it may have read as missing before. Safe for any thread; never blocks. */
final class RecentCopies {
    /** The most made copies remembered, more than can be under way when a pass reads their records. */
    private static final int MOST_MADE = 2 * TaskQueue.MAX_TASKS;

    /** The copies that were made and are being recorded in the catalog. */
    @GuardedBy("this")
    private final Set<String> arriving = new HashSet<>();

    /** The copies made since the pass began, the last of them. */
    @GuardedBy("this")
    private final Set<String> made = new LinkedHashSet<>();

    synchronized void passBegan() {
        made.clear();
    }

    /** Begins to record a copy; returns false when another report of it is being recorded. */
    synchronized boolean beginArrival(String copy) {
        return arriving.add(copy);
    }

    synchronized void endArrival(String copy) {
        arriving.remove(copy);
    }

    synchronized void made(String copy) {
        made.add(copy);
        if (made.size() > MOST_MADE) {
            made.remove(made.iterator().next());
        }
    }

    synchronized boolean contains(String copy) {
        return arriving.contains(copy) || made.contains(copy);
    }
}
