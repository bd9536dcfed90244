package io.cloudmw.coordinator.upkeep.stores;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepClock;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.StoreCondition;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The absences of stores, recorded in the catalog by {@link UpkeepClock}. A coordinator that takes over continues the
 * count, and knows at once which stores are lost. A store is recorded only after some time of absence, so that a
 * starting coordinator does not record every store it has not yet heard of. Confined to the ticking thread; calls
 * block.
 */
public final class StoreAbsences {
    static final String PREFIX = "away/";
    private static final Duration LONGEST_UNNOTED = Duration.ofSeconds(30);

    /** The most changes that one call records. */
    private static final int MOST_NOTED = 64;

    private final Catalog catalog;
    private final Lease lease;
    private final UpkeepClock age;
    private final Duration notedAfter;
    private final Set<StoreId> noted = new HashSet<>();

    /** @param lostAfter the absence after which a store is lost; an absence is recorded after half of that, or 30 s */
    public StoreAbsences(Catalog catalog, Lease lease, UpkeepClock age, Duration lostAfter) {
        this.catalog = catalog;
        this.lease = lease;
        this.age = age;
        Duration half = lostAfter.dividedBy(2);
        this.notedAfter = half.compareTo(LONGEST_UNNOTED) < 0 ? half : LONGEST_UNNOTED;
    }

    /** Returns how long recorded stores have been absent while upkeep ran; the clock must have begun. */
    public Map<StoreId, Duration> begin() throws CloudMwException {
        Map<StoreId, Duration> away = new LinkedHashMap<>();
        catalog.notes().startingWith(PREFIX).forEach((key, since) -> {
            StoreId store = new StoreId(key.substring(PREFIX.length()));
            noted.add(store);
            away.put(store, Duration.ofMillis(Math.max(0, age.millis() - Long.parseLong(since))));
        });
        return away;
    }

    /** Records what has changed. */
    public void keep(Map<StoreId, StoreCondition> stores) throws CloudMwException {
        int written = 0;
        for (StoreCondition store : stores.values()) {
            boolean away = !store.available();
            boolean news = away
                    ? store.away().compareTo(notedAfter) >= 0 && !noted.contains(store.id())
                    : noted.contains(store.id());
            if (news && written < MOST_NOTED) {
                put(store.id(), away ? Long.toString(age.millis() - store.away().toMillis()) : "");
                written++;
            }
        }
    }

    private void put(StoreId store, String since) throws CloudMwException {
        catalog.notes().put(lease, PREFIX + store, since);
        if (since.isEmpty()) {
            noted.remove(store);
        } else {
            noted.add(store);
        }
    }
}
