package io.cloudmw.core.model.fleet;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import java.util.List;
import java.util.Map;

/**
 * A coordinator's last news of one helper, for the other coordinators.
 *
 * @param ageMillis the age of the news when the coordinator published it
 * @param left whether the helper said that it leaves
 * @param disks the usage of its disks, by its own report
 * @param faults the buckets that the helper cannot use, by its own report
 */
public record HelperSighting(
        HelperRegistration registration,
        long ageMillis,
        boolean left,
        List<DiskUsage> disks,
        Map<StoreId, StoreFault> faults) {
    /** The sighting of a helper that can use all buckets. */
    public HelperSighting(HelperRegistration registration, long ageMillis, boolean left, List<DiskUsage> disks) {
        this(registration, ageMillis, left, disks, Map.of());
    }

    public HelperSighting {
        if (ageMillis < 0) {
            throw new IllegalArgumentException("ageMillis: " + ageMillis + " (expected: >= 0)");
        }
        disks = List.copyOf(disks);
        faults = Map.copyOf(faults);
    }
}
