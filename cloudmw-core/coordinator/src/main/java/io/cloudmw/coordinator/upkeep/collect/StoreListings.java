package io.cloudmw.coordinator.upkeep.collect;

import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.status.collect.CopyTotal;
import io.cloudmw.core.status.collect.SurveyEstimate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The listings of stores in the round under way: where each continues, and the estimated total. Confined to one thread. */
final class StoreListings {
    /** The token at which each unfinished listing continues. */
    private final Map<StoreId, String> open = new TreeMap<>();

    private final SurveyEstimate estimate = new SurveyEstimate();

    void begin(Collection<StoreId> stores) {
        open.clear();
        stores.forEach(store -> open.put(store, ""));
        estimate.begin(open.keySet());
    }

    void clear() {
        open.clear();
    }

    /** Returns where each unfinished listing continues, by store. */
    Map<StoreId, String> open() {
        return Map.copyOf(open);
    }

    /** Returns the unfinished listings of stores that are not among these. */
    List<StoreId> without(Set<StoreId> stores) {
        return open.keySet().stream().filter(store -> !stores.contains(store)).toList();
    }

    void listed(StoreId store, Page<StoredChunk> page) {
        estimate.listed(store, page);
    }

    void goOn(StoreId store, String token) {
        open.put(store, token);
    }

    /** Ends a listing, complete or not; returns false when it had ended. */
    boolean end(StoreId store) {
        if (open.remove(store) == null) {
            return false;
        }
        estimate.ended(store);
        return true;
    }

    CopyTotal expected() {
        return estimate.total();
    }
}
