package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.util.List;

/**
 * What is known of a helper.
 *
 * @param alive whether its lease holds
 * @param lastHeartbeatAgeMillis since it was last heard
 */
public record HelperStatus(HelperAddress address, List<StoreId> disks, boolean alive, long lastHeartbeatAgeMillis) {
    public HelperStatus {
        disks = List.copyOf(disks);
    }
}
