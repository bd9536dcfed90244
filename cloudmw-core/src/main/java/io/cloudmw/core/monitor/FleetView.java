package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/** How stores and helpers do, at one moment. Immutable. */
public record FleetView(List<OfStore> stores, List<OfHelper> helpers) {
    public FleetView {
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
    }

    /** A store as all helpers together see it. */
    public record OfStore(StoreId id, boolean available, SpeedSummary speed) {}

    /**
     * A helper.
     *
     * @param speed what it sees of all stores together
     */
    public record OfHelper(
            HelperId id, boolean alive, long heartbeatAgeMillis, HelperActivity activity, SpeedSummary speed) {}
}
