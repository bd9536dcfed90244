package io.cloudmw.core.status;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;
import java.util.Optional;

/**
 * An order to begin or end draining stores.
 *
 * @param helper a helper whose disks are drained besides {@code stores}: those it registered last
 * @param begins false: the stores are used again as before
 */
public record DrainOrder(List<StoreId> stores, Optional<HelperId> helper, boolean begins) {
    public DrainOrder {
        stores = List.copyOf(stores);
    }
}
