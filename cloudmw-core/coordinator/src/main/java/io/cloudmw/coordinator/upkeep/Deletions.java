package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.Store;
import java.util.concurrent.TimeUnit;

/**
 * Until when helpers may be deleting by order of a coordinator before this one, of which this one knows nothing else. That
 * deletions are ordered is noted in the catalog before they are, for some seconds ahead; by {@link UpkeepClock}, which
 * never runs ahead. Safe for any thread; calls block.
 */
final class Deletions {
    static final String NOTE = "deletions";
    private static final long AHEAD_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Catalog catalog;
    private final Lease lease;
    private final UpkeepClock age;
    private final UpkeepOptions options;

    @GuardedBy("this")
    private long orderedUntilMillis;

    private volatile long lastMillis = Long.MAX_VALUE;

    Deletions(Catalog catalog, Lease lease, UpkeepClock age, UpkeepOptions options) {
        this.catalog = catalog;
        this.lease = lease;
        this.age = age;
        this.options = options;
    }

    /** Asks the catalog; until then none of another coordinator's counts as over. */
    synchronized void begin() throws CloudMwException {
        String noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "");
        long until = noted.isEmpty() ? age.millis() : Long.parseLong(noted);
        if (noted.isEmpty()) {
            // Nothing was noted, by whoever it was: what it ordered is over when this is old.
            note(until);
        }
        lastMillis = until;
    }

    /** To be called before deletions are handed out. */
    synchronized void order() throws CloudMwException {
        long now = age.millis();
        if (now >= orderedUntilMillis) {
            note(now + AHEAD_MILLIS);
            orderedUntilMillis = now + AHEAD_MILLIS;
        }
    }

    @GuardedBy("this")
    private void note(long untilMillis) throws CloudMwException {
        catalog.notes().put(lease, NOTE, Long.toString(untilMillis));
    }

    /** Whether all in this store are over that were ordered before this coordinator's turn. */
    boolean areOver(Store store) {
        long last = lastMillis;
        return last != Long.MAX_VALUE
                && age.millis() >= last + options.deletesEndAfter(store).toMillis();
    }
}
