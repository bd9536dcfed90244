package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.upkeep.collect.CollectProgress;
import java.util.List;
import java.util.Optional;

/**
 * How a cluster fares.
 *
 * @param stores all of them, by id
 * @param helpers those that are alive
 * @param asked the last round that somebody asked for
 * @param waitingTasks for a helper to take them
 * @param givenTasks that helpers have
 */
public record UpkeepStatus(
        List<StoreCondition> stores,
        List<HelperAddress> helpers,
        RepairProgress repair,
        ReshapeProgress reshape,
        ScrubProgress scrub,
        CollectProgress collect,
        Optional<RoundProgress> asked,
        int waitingTasks,
        int givenTasks) {
    /** A status of a cluster whose volumes follow their changes. */
    public UpkeepStatus(
            List<StoreCondition> stores,
            List<HelperAddress> helpers,
            RepairProgress repair,
            ScrubProgress scrub,
            CollectProgress collect,
            int waitingTasks,
            int givenTasks) {
        this(stores, helpers, repair, ReshapeProgress.NONE, scrub, collect, Optional.empty(), waitingTasks, givenTasks);
    }

    public UpkeepStatus {
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
    }
}
