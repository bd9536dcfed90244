package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import java.util.List;
import java.util.Map;

/**
 * News of stores that a helper sends with each heartbeat.
 *
 * @param disks how full its disks are
 * @param faults buckets that it cannot use
 */
public record HelperNews(List<DiskUsage> disks, Map<StoreId, StoreFault> faults) {
    public HelperNews {
        disks = List.copyOf(disks);
        faults = Map.copyOf(faults);
    }

    /** News of a helper that can use all buckets. */
    public static HelperNews of(List<DiskUsage> disks) {
        return new HelperNews(disks, Map.of());
    }
}
