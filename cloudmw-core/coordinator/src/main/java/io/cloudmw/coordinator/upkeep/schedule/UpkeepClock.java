package io.cloudmw.coordinator.upkeep.schedule;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * A clock of the time that upkeep has run in all, by the monotonic clocks of its successive holders. The catalog stores
 * it, so that it survives restarts. The clock stands still while no coordinator does upkeep, and loses a few seconds
 * when a holder dies. It never runs ahead of real time, whatever the civil clocks say: an age by this clock is a lower
 * bound. {@link #keep} is called by one thread, other methods by any.
 */
public final class UpkeepClock {
    static final String NOTE = "clock";
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Catalog catalog;
    private final Lease lease;
    private final Ticker ticker;
    private boolean begun;
    private long notedNanos;
    private volatile long baseMillis;
    private volatile long beganNanos;

    public UpkeepClock(Catalog catalog, Lease lease, Ticker ticker) {
        this.catalog = catalog;
        this.lease = lease;
        this.ticker = ticker;
        this.beganNanos = ticker.nanos();
        this.notedNanos = beganNanos;
    }

    /** Loads the clock in the first call and stores it in later ones; called every few seconds. */
    public void keep() throws CloudMwException {
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

    public long millis() {
        return baseMillis + TimeUnit.NANOSECONDS.toMillis(ticker.nanos() - beganNanos);
    }
}
