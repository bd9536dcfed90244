package io.cloudmw.core.status.fleet;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import java.util.List;

/**
 * The performance of stores and helpers at one moment. Immutable.
 *
 * @param pairs of reader and store, those with the most recent reads first; the first {@value #MAX_PAIRS}
 * @param pairsLeftOut the number of further pairs
 */
public record FleetView(List<OfStore> stores, List<OfHelper> helpers, List<OfPair> pairs, int pairsLeftOut) {
    /** The largest number of pairs of helper and store. */
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
     * @param speed the speed of all stores together, as it sees them
     */
    public record OfHelper(
            HelperId id, boolean alive, long heartbeatAgeMillis, HelperActivity activity, SpeedSummary speed) {}

    /** The speed of one store as one helper sees it, for reads of one size. */
    public record OfPair(HelperId helper, SpeedKey key, SpeedSummary speed) {}
}
