package io.cloudmw.core.status;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import java.util.List;
import java.util.OptionalLong;

/**
 * A volume that lacks stores, or that stores leave.
 *
 * @param replicas copies that each of its chunks should have
 * @param usableStores stores that take its chunks: neither drained nor lost
 * @param leaving stores that it leaves
 */
public record VolumeReshapeProgress(VolumeName name, int replicas, int usableStores, List<Departure> leaving) {
    /**
     * A store that a volume leaves.
     *
     * @param lost whether it was declared lost
     * @param copies how many copies of the volume's files and snapshots are left there; empty: not counted yet
     * @param uploads copies there of open uploads
     * @param garbage unreferenced copies there that are not deleted yet
     */
    public record Departure(StoreId store, boolean lost, OptionalLong copies, long uploads, long garbage) {}

    public VolumeReshapeProgress {
        leaving = List.copyOf(leaving);
    }

    /** Returns how many stores it lacks for all its copies. */
    public int missingStores() {
        return Math.max(0, replicas - usableStores);
    }
}
