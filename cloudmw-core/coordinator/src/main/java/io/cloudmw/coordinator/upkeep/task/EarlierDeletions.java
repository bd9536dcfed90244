package io.cloudmw.coordinator.upkeep.task;

import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.fleet.Store;

/** The deletions that earlier coordinators have ordered. Until they are over, no copy is made where one was dropped. */
public interface EarlierDeletions {
    /** Returns whether all deletions in a store are over. */
    boolean areOver(Store store);

    /** Returns whether the deletion of one dropped copy is over. */
    boolean areOver(Store store, ReplicaRecord dropped);
}
