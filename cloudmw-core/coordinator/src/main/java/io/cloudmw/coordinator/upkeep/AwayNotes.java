package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.upkeep.StoreCondition;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Since when stores are away, noted in the catalog by {@link UpkeepClock}: a coordinator that takes over counts on from there, and
 * knows at once which stores were lost. A store is noted when it was away for a while, so that nothing is written of all those that
 * a coordinator has not heard of yet when it starts. Confined to the thread that ticks; calls block.
 */
final class AwayNotes {
    static final String PREFIX = "away/";
    private static final Duration LONGEST_UNNOTED = Duration.ofSeconds(30);

    /** One call notes no more. */
    private static final int MOST_NOTED = 64;

    private final Catalog catalog;
    private final Lease lease;
    private final UpkeepClock age;
    private final Duration notedAfter;
    private final Set<StoreId> noted = new HashSet<>();

    /** @param lostAfter when a store is lost that is away: it is noted when half of that, or 30 s, have passed */
    AwayNotes(Catalog catalog, Lease lease, UpkeepClock age, Duration lostAfter) {
        this.catalog = catalog;
        this.lease = lease;
        this.age = age;
        Duration half = lostAfter.dividedBy(2);
        this.notedAfter = half.compareTo(LONGEST_UNNOTED) < 0 ? half : LONGEST_UNNOTED;
    }

    /** For how long the stores that are noted were away while somebody did upkeep; the clock must have begun. */
    Map<StoreId, Duration> begin() throws CloudMwException {
        Map<StoreId, Duration> away = new LinkedHashMap<>();
        catalog.notes().startingWith(PREFIX).forEach((key, since) -> {
            StoreId store = new StoreId(key.substring(PREFIX.length()));
            noted.add(store);
            away.put(store, Duration.ofMillis(Math.max(0, age.millis() - Long.parseLong(since))));
        });
        return away;
    }

    /** Notes what has changed. */
    void keep(Map<StoreId, StoreCondition> stores) throws CloudMwException {
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
