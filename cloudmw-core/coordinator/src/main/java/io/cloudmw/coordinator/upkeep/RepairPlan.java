package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.upkeep.Obstacle;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done about one chunk.
 *
 * @param good copies that count: good, in stores that are not lost, drained or not
 * @param sources stores to copy it from, now
 * @param targets stores to copy it to, now
 * @param drops copies that are none any more, since there are enough others
 * @param obstacle why fewer are copied than are missing, if so
 * @param closed stores that would take a copy, but no helper can use them and a source
 */
record RepairPlan(
        int good,
        List<Store> sources,
        List<Store> targets,
        List<ReplicaRecord> drops,
        Optional<Obstacle> obstacle,
        List<Store> closed) {
    RepairPlan {
        sources = List.copyOf(sources);
        targets = List.copyOf(targets);
        drops = List.copyOf(drops);
        closed = List.copyOf(closed);
    }
}
