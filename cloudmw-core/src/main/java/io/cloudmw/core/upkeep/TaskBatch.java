package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.security.TransferToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The tasks assigned to a helper in one call.
 *
 * @param unknown numbers of tasks of a kind that this release does not know, which the helper reports as failed
 * @param helpers owners of the disks among the tasks' stores
 * @param pause the longest time until the helper asks again
 * @param elsewhere whether another coordinator does upkeep; a helper of several coordinators asks the next one
 */
public record TaskBatch(
        List<Assignment> assignments,
        List<Long> unknown,
        List<HelperAddress> helpers,
        Duration pause,
        boolean elsewhere) {
    public TaskBatch {
        unknown = List.copyOf(unknown);
        assignments = List.copyOf(assignments);
        helpers = List.copyOf(helpers);
    }

    /**
     * An assigned task.
     *
     * @param number identifies this assignment; a retry by another helper gets a new number
     * @param life how long after its request the helper may begin the task
     * @param token grants access to other helpers; empty: the task needs none
     */
    public record Assignment(long number, Task task, Duration life, Optional<TransferToken> token) {}
}
