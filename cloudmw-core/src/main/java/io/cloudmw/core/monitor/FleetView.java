package io.cloudmw.core.monitor;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * How stores and helpers do, at one moment. Immutable.
 *
 * @param pairs of who reads and what is read, those most read of late first; the first {@value #MAX_PAIRS}
 * @param pairsLeftOut how many more there are
 */
public record FleetView(List<OfStore> stores, List<OfHelper> helpers, List<OfPair> pairs, int pairsLeftOut) {
    public static final int MAX_PAIRS = 1024;

    public FleetView {
        stores = List.copyOf(stores);
        helpers = List.copyOf(helpers);
        pairs = List.copyOf(pairs);
        if (pairsLeftOut < 0) {
            throw new IllegalArgumentException("pairsLeftOut: " + pairsLeftOut + " (expected: >= 0)");
        }
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

    /** What one helper has seen of one store, for reads of one size. */
    public record OfPair(HelperId helper, SpeedKey key, SpeedSummary speed) {}
}
