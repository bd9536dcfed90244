package io.cloudmw.core.status;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.time.Duration;
import java.util.List;

/**
 * The status of a helper, as the coordinator knows it.
 *
 * @param disks stores attached to it
 * @param alive whether its lease holds
 */
public record HelperStatus(HelperAddress helper, List<StoreId> disks, boolean alive, Duration lastHeartbeatAge) {
    public HelperStatus {
        disks = List.copyOf(disks);
    }
}
