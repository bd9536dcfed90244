package io.cloudmw.core.status;

import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.status.collect.CollectProgress;
import java.util.List;
import java.util.Optional;

/**
 * The state of upkeep in a cluster.
 *
 * @param stores all stores, by id
 * @param helpers the live helpers
 * @param asked the last requested round
 * @param waitingTasks tasks that wait for a helper
 * @param givenTasks tasks that helpers have
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
    /** Creates the status of a cluster without volume changes under way. */
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
