package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.DiskUsage;
import java.util.List;
import java.util.Map;

/**
 * The state of stores that a helper reports in each heartbeat.
 *
 * @param disks how full its disks are
 * @param faults buckets that it cannot use
 */
public record HeartbeatReport(List<DiskUsage> disks, Map<StoreId, StoreFault> faults) {
    public HeartbeatReport {
        disks = List.copyOf(disks);
        faults = Map.copyOf(faults);
    }

    /** Returns the report of a helper that can use all buckets. */
    public static HeartbeatReport of(List<DiskUsage> disks) {
        return new HeartbeatReport(disks, Map.of());
    }
}
