package io.cloudmw.coordinator.upkeep.collect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepClock;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.coordinator.upkeep.task.EarlierDeletions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import java.util.concurrent.TimeUnit;

/**
 * The time until which deletions ordered by an earlier coordinator may still happen. Before deletions are assigned, the
 * catalog records that fact some seconds ahead, by {@link UpkeepClock}, which never runs ahead. Safe for any thread;
 * calls block.
 */
public final class DeletionFence implements EarlierDeletions {
    static final String NOTE = "deletions";
    private static final long AHEAD_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Catalog catalog;
    private final Lease lease;
    private final UpkeepClock age;
    private final UpkeepOptions options;

    @GuardedBy("this")
    private long orderedUntilMillis;

    private volatile long lastMillis = Long.MAX_VALUE;

    public DeletionFence(Catalog catalog, Lease lease, UpkeepClock age, UpkeepOptions options) {
        this.catalog = catalog;
        this.lease = lease;
        this.age = age;
        this.options = options;
    }

    /** Reads the record of the earlier coordinators; until then none of their deletions counts as over. */
    public synchronized void begin() throws CloudMwException {
        String noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "");
        long until = noted.isEmpty() ? age.millis() : Long.parseLong(noted);
        if (noted.isEmpty()) {
            // Nothing was recorded: deletions of an earlier coordinator are over when this note is old enough.
            note(until);
        }
        lastMillis = until;
    }

    /** Records that deletions are about to be assigned. */
    public synchronized void order() throws CloudMwException {
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

    @Override
    public boolean areOver(Store store) {
        long last = lastMillis;
        return last != Long.MAX_VALUE
                && age.millis() >= last + options.deletesEndAfter(store).toMillis();
    }

    /** None is ordered once the copy is recorded as deleted. */
    @Override
    public boolean areOver(Store store, ReplicaRecord dropped) {
        return areOver(store)
                || (lastMillis != Long.MAX_VALUE
                        && dropped.state() == ReplicaState.GONE
                        && age.millis()
                                >= dropped.sinceMillis()
                                        + options.deletesEndAfter(store).toMillis());
    }
}
