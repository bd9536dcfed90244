package io.cloudmw.lab.torture;

import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.lab.torture.fault.Outages;
import io.cloudmw.lab.torture.model.CallInterval;
import io.cloudmw.lab.torture.model.Model;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The state that all clients of a run share. Safe for any thread.
 *
 * @param ticker the run's clock, which starts at 0
 * @param operations counters of the clients' operations
 * @param writes the next number for a put
 * @param bytes put so far
 * @param over opens at the end of the run
 */
record TortureRun(
        TortureSettings settings,
        TortureFleet fleet,
        Model model,
        DiskReplicas replicas,
        Outages outages,
        Journal journal,
        Operations operations,
        Ticker ticker,
        AtomicLong writes,
        AtomicLong bytes,
        PackCounts packs,
        CountDownLatch over) {
    /**
     * Counters of packs of several small files.
     *
     * @param put by clients that were closed
     * @param compacted in rounds of garbage collection whose end was seen
     */
    record PackCounts(AtomicLong put, AtomicLong compacted) {
        PackCounts() {
            this(new AtomicLong(), new AtomicLong());
        }
    }

    long now() {
        return ticker.nanos();
    }

    /** Converts a time of the run's clock to civil time. */
    long civilMillis(long nanos) {
        return WallClock.system().millis() - TimeUnit.NANOSECONDS.toMillis(now() - nanos);
    }

    /**
     * Returns for how much of an interval no coordinator may have been available; of several at most one is unavailable
     * at a time.
     */
    long coordinatorAwayNanos(CallInterval span) {
        return fleet.coordinators().size() > 1 ? 0 : outages.nanos(TortureFleet.COORDINATOR, span);
    }

    /** Waits for a time or until the end of the run; returns whether the run has ended. */
    boolean isOverAfter(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Returns whether the bytes put exceed the share of the byte budget for the time that has passed. */
    boolean hasPutEnough() {
        double share = Math.min(1, (double) now() / settings.duration().toNanos());
        return bytes.get() > settings.bytes() * share;
    }
}
