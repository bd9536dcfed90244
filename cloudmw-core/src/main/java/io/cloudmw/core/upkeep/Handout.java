package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.security.TransferToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a helper is given to do.
 *
 * @param unknown numbers of tasks of a kind that this release does not know: they are to be reported as failed
 * @param helpers owners of the disks among the tasks' stores
 * @param pause when to ask again, at the latest
 * @param elsewhere whether another coordinator does upkeep: who has several asks, and reports to, the next
 */
public record Handout(
        List<Assignment> assignments,
        List<Long> unknown,
        List<HelperAddress> helpers,
        Duration pause,
        boolean elsewhere) {
    public Handout {
        unknown = List.copyOf(unknown);
        assignments = List.copyOf(assignments);
        helpers = List.copyOf(helpers);
    }

    /**
     * One task.
     *
     * @param number of this giving: another helper gets the same task under another one
     * @param life not to be begun later than this after the helper asked
     * @param token lets its bearer do what a copy needs of other helpers; empty: it needs nothing of them
     */
    public record Assignment(long number, Task task, Duration life, Optional<TransferToken> token) {}
}
