package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.List;
import java.util.OptionalLong;

/**
 * A volume that needs stores, or that stores leave.
 *
 * @param replicas copies that each of its chunks should have
 * @param usableStores stores that take its chunks: neither drained nor lost
 * @param leaving stores that it gives up
 */
public record VolumeFare(VolumeName name, int replicas, int usableStores, List<Departure> leaving) {
    /**
     * A store that a volume gives up.
     *
     * @param lost whether it was declared gone for good
     * @param copies of the volume's files and snapshots that are left there; empty: not looked through yet
     * @param uploads copies there of uploads that are open
     * @param garbage copies there that nothing names and that were not deleted yet
     */
    public record Departure(StoreId store, boolean lost, OptionalLong copies, long uploads, long garbage) {}

    public VolumeFare {
        leaving = List.copyOf(leaving);
    }

    /** How many stores it needs for all its copies. */
    public int missingStores() {
        return Math.max(0, replicas - usableStores);
    }
}
