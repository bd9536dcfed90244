package io.cloudmw.core.model.fleet;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import java.util.List;
import java.util.Map;

/**
 * What one coordinator tells the others of a helper that it heard.
 *
 * @param ageMillis how long before it told it
 * @param left whether the helper said that it leaves
 * @param disks how full they are, as the helper said
 * @param faults buckets that the helper cannot use, as it said
 */
public record HelperSighting(
        HelperRegistration registration,
        long ageMillis,
        boolean left,
        List<DiskUsage> disks,
        Map<StoreId, StoreFault> faults) {
    /** A helper that can use all buckets. */
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
