package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.RepairObstacle;
import java.util.List;
import java.util.Optional;

/**
 * The repair plan of one chunk.
 *
 * @param good how many good copies are in stores that are not lost; drained ones count
 * @param sources stores to copy it from, now
 * @param targets stores to copy it to, now
 * @param drops copies that are superfluous, since there are enough others
 * @param obstacle why fewer copies are made than are missing, if so
 * @param closed stores that would take a copy, but no helper can use them and a source
 */
record RepairPlan(
        int good,
        List<Store> sources,
        List<Store> targets,
        List<ReplicaRecord> drops,
        Optional<RepairObstacle> obstacle,
        List<Store> closed) {
    RepairPlan {
        sources = List.copyOf(sources);
        targets = List.copyOf(targets);
        drops = List.copyOf(drops);
        closed = List.copyOf(closed);
    }

    /** Returns whether nothing is left to do about the chunk: no copy to make or drop, and no obstacle. */
    boolean isSettled() {
        return targets.isEmpty() && drops.isEmpty() && obstacle.isEmpty();
    }
}
