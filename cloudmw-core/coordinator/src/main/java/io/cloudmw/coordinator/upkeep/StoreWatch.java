package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.Candidate;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.upkeep.StoreCondition;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Since when stores are away, by this process's own monotonic clock, and by what a coordinator before it noted. Confined to
 * the thread that ticks.
 */
final class StoreWatch {
    private final Fleet fleet;
    private final Drains drains;
    private final Ticker ticker;
    private final long lostAfterNanos;
    private final Map<StoreId, Long> awaySince = new LinkedHashMap<>();

    /** Since when buckets are missing without a break. Another coordinator's time does not count. */
    private final Map<StoreId, Long> missingSince = new LinkedHashMap<>();

    StoreWatch(Fleet fleet, Drains drains, Ticker ticker, Duration lostAfter) {
        this.fleet = fleet;
        this.drains = drains;
        this.ticker = ticker;
        this.lostAfterNanos = lostAfter.toNanos();
    }

    /**
     * Counts on from what another coordinator has seen.
     *
     * @param away for how long stores were away, if they still are
     */
    void resume(Map<StoreId, Duration> away) {
        long now = ticker.nanos();
        away.forEach((store, time) ->
                awaySince.merge(store, now - time.toNanos(), (own, noted) -> noted - own < 0 ? noted : own));
    }

    /** Looks at all stores; by id. */
    Map<StoreId, StoreCondition> look() throws CloudMwException {
        long now = ticker.nanos();
        Set<StoreId> draining = drains.all();
        Map<StoreId, StoreCondition> conditions = new LinkedHashMap<>();
        for (Candidate store : fleet.stores()) {
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

    /** A disk is gone with its owner. A bucket is when it was missing all the time, not only denied or out of reach before. */
    private boolean isGone(Candidate store, long now) {
        return store.store().owner().isPresent()
                || now - missingSince.getOrDefault(store.store().id(), now) >= lostAfterNanos;
    }
}
