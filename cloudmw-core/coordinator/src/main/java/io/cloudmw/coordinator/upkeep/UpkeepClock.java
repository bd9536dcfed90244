package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * How long upkeep has been done in all, by the monotonic clocks of those who did it, one after the other: kept in the catalog, so
 * that it goes on over restarts. It stands still while nobody does upkeep, and is set back a few seconds when somebody dies. So it
 * never runs ahead of real time, however wrong anybody's civil clock is: what is this old by it is at least that old.
 * {@link #keep} is called by one thread, the rest by any.
 */
final class UpkeepClock {
    static final String NOTE = "clock";
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Catalog catalog;
    private final Lease lease;
    private final Ticker ticker;
    private boolean begun;
    private long notedNanos;
    private volatile long baseMillis;
    private volatile long beganNanos;

    UpkeepClock(Catalog catalog, Lease lease, Ticker ticker) {
        this.catalog = catalog;
        this.lease = lease;
        this.ticker = ticker;
        this.beganNanos = ticker.nanos();
        this.notedNanos = beganNanos;
    }

    /** Goes on from where it was the first time, and notes where it is; to be called every few seconds. */
    void keep() throws CloudMwException {
        if (!begun) {
            String noted = catalog.notes().startingWith(NOTE).getOrDefault(NOTE, "0");
            beganNanos = ticker.nanos();
            baseMillis = Long.parseLong(noted);
            begun = true;
        }
        if (ticker.nanos() - notedNanos >= NOTE_NANOS) {
            catalog.notes().put(lease, NOTE, Long.toString(millis()));
            notedNanos = ticker.nanos();
        }
    }

    long millis() {
        return baseMillis + TimeUnit.NANOSECONDS.toMillis(ticker.nanos() - beganNanos);
    }
}
