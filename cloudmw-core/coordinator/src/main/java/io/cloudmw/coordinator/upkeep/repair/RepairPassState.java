package io.cloudmw.coordinator.upkeep.repair;

import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.core.upkeep.Task;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * A repair pass under way. Confined to one thread.
 *
 * @param walk the chunks it passes over
 * @param full the walk, if it is over all manifests
 * @param requested the requested repair, if the pass is for one
 * @param found tasks that are not in the queue yet
 * @param tally what the pass has counted
 */
record RepairPassState(
        ChunkWalk walk,
        Optional<FullRepairPass> full,
        Optional<RequestedRepair> requested,
        Deque<Task.Copy> found,
        RepairTally tally) {
    static RepairPassState overRecords(ChunkWalk walk, RepairTally tally) {
        return new RepairPassState(walk, Optional.empty(), Optional.empty(), new ArrayDeque<>(), tally);
    }

    static RepairPassState overAll(FullRepairPass full, RepairTally tally) {
        return new RepairPassState(full, Optional.of(full), Optional.empty(), new ArrayDeque<>(), tally);
    }

    static RepairPassState onRequest(RequestedRepair requested, ChunkWalk walk, RepairTally tally) {
        return new RepairPassState(walk, Optional.empty(), Optional.of(requested), new ArrayDeque<>(), tally);
    }
}
