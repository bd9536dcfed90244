package io.cloudmw.coordinator.fleet;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.HelperAddress;
import java.util.List;

/**
 * The state of a registered helper.
 *
 * @param alive whether its lease holds
 * @param lastHeartbeatAgeMillis since it was last heard
 */
public record RegisteredHelper(HelperAddress address, List<StoreId> disks, boolean alive, long lastHeartbeatAgeMillis) {
    public RegisteredHelper {
        disks = List.copyOf(disks);
    }
}
