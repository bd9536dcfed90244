package io.cloudmw.coordinator.upkeep.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.retry.Backoff;
import io.cloudmw.core.time.Ticker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The stores that repair avoids after they refused copies. Safe for any thread; never blocks. */
final class StoreBackoffs {
    /** The number of refusals in a row after which repair avoids a store, for longer and longer. */
    private static final int REFUSALS = 3;

    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Backoff BACKOFF = new Backoff(FIRST_NANOS, FIRST_NANOS << 6);

    private final Ticker ticker;

    @GuardedBy("this")
    private final Map<StoreId, Integer> refusals = new HashMap<>();

    @GuardedBy("this")
    private final Map<StoreId, Long> avoidedUntilNanos = new HashMap<>();

    StoreBackoffs(Ticker ticker) {
        this.ticker = ticker;
    }

    synchronized void refused(StoreId store) {
        int times = refusals.merge(store, 1, Integer::sum);
        if (times >= REFUSALS) {
            avoidedUntilNanos.put(store, ticker.nanos() + BACKOFF.delayNanos(times - REFUSALS + 1));
        }
    }

    synchronized void accepted(StoreId store) {
        refusals.remove(store);
        avoidedUntilNanos.remove(store);
    }

    synchronized boolean isAvoided(StoreId store) {
        Long until = avoidedUntilNanos.get(store);
        return until != null && ticker.nanos() - until < 0;
    }
}
