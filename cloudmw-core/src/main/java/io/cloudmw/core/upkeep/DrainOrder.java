package io.cloudmw.core.upkeep;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;
import java.util.Optional;

/**
 * That stores are to be drained, or not any longer.
 *
 * @param helper whose disks are meant, beside {@code stores}: those it has been seen with last
 * @param begins false: they are to be used again as before
 */
public record DrainOrder(List<StoreId> stores, Optional<HelperId> helper, boolean begins) {
    public DrainOrder {
        stores = List.copyOf(stores);
    }
}
