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
 * @param ticker begins at 0 with the run
 * @param operations counts what clients did
 * @param writes gives each put its number
 * @param bytes put so far
 * @param over open at the end
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
        CountDownLatch over) {
    long now() {
        return ticker.nanos();
    }

    /** What civil time it was then. */
    long civilMillis(long nanos) {
        return WallClock.system().millis() - TimeUnit.NANOSECONDS.toMillis(now() - nanos);
    }

    /** For how much of this time there may have been no coordinator: at most one is gone at once. */
    long coordinatorAwayNanos(CallInterval span) {
        return fleet.coordinators().size() > 1 ? 0 : outages.nanos(TortureFleet.COORDINATOR, span);
    }

    /** Waits for this long, unless the run ends before; whether it has ended. */
    boolean isOverAfter(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Whether more was put than the time that passed has a share in. */
    boolean hasPutEnough() {
        double share = Math.min(1, (double) now() / settings.duration().toNanos());
        return bytes.get() > settings.bytes() * share;
    }
}
