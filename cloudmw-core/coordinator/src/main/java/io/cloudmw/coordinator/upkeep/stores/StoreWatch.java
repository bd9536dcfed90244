package io.cloudmw.coordinator.upkeep.stores;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A watch over absent stores: since when they are absent, by this process's monotonic clock and the previous holder's
 * records. Confined to the ticking thread.
 */
public final class StoreWatch {
    private final UpkeepFleet fleet;
    private final DrainedStores drains;
    private final Ticker ticker;
    private final long lostAfterNanos;
    private final Map<StoreId, Long> awaySince = new LinkedHashMap<>();

    /** The time since which each bucket is missing without interruption. Another coordinator's time does not count. */
    private final Map<StoreId, Long> missingSince = new LinkedHashMap<>();

    public StoreWatch(UpkeepFleet fleet, DrainedStores drains, Ticker ticker, Duration lostAfter) {
        this.fleet = fleet;
        this.drains = drains;
        this.ticker = ticker;
        this.lostAfterNanos = lostAfter.toNanos();
    }

    /**
     * Continues the count of another coordinator.
     *
     * @param away how long stores have been absent, if they still are
     */
    public void resume(Map<StoreId, Duration> away) {
        long now = ticker.nanos();
        away.forEach((store, time) ->
                awaySince.merge(store, now - time.toNanos(), (own, noted) -> noted - own < 0 ? noted : own));
    }

    /** Returns the condition of all stores, by id. */
    public Map<StoreId, StoreCondition> look() throws CloudMwException {
        long now = ticker.nanos();
        Set<StoreId> draining = drains.all();
        Map<StoreId, StoreCondition> conditions = new LinkedHashMap<>();
        for (StoreCandidate store : fleet.stores()) {
            StoreId id = store.store().id();
            boolean available = fleet.isAvailable(store);
            if (!available && fleet.canBeLost(store)) {
                missingSince.putIfAbsent(id, now);
            } else {
                missingSince.remove(id);
            }
            long since = available ? now : awaySince.getOrDefault(id, now);
            boolean lost =
                    store.store().isLost() || (!available && now - since >= lostAfterNanos && isGone(store, now));
            conditions.put(
                    id,
                    new StoreCondition(
                            store,
                            fleet.roomBytes(store),
                            available,
                            Duration.ofNanos(now - since),
                            lost,
                            draining.contains(id),
                            fleet.reserveBytes(store)));
        }
        awaySince.keySet().retainAll(conditions.keySet());
        missingSince.keySet().retainAll(conditions.keySet());
        conditions.forEach((id, condition) -> {
            if (condition.available()) {
                awaySince.remove(id);
            } else {
                awaySince.putIfAbsent(id, now);
            }
        });
        return conditions;
    }

    /**
     * Returns whether a store is gone: a disk with its owner; a bucket that was missing all the time, not merely denied
     * or unreachable.
     */
    private boolean isGone(StoreCandidate store, long now) {
        return store.store().owner().isPresent()
                || now - missingSince.getOrDefault(store.store().id(), now) >= lostAfterNanos;
    }
}
