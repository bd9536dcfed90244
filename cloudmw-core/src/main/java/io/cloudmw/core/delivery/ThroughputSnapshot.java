package io.cloudmw.core.delivery;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.RacerId;
import java.util.Arrays;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How fast everything under way comes, at one moment: looked at once, and then asked about every attempt. */
final class ThroughputSnapshot {
    /** An attempt this old says something about its store. */
    private static final long TELLING_NANOS = 500_000_000;

    private final double[] rates;
    private final Map<StoreId, DoubleSummaryStatistics> stores = new HashMap<>();
    private final long movingRelays;
    private final Set<RacerId> holders = new HashSet<>();

    ThroughputSnapshot(Collection<BlockProgress> flights, Collection<OfferedRelay> relays, long nowNanos) {
        double[] seen = new double[flights.size()];
        int count = 0;
        for (BlockProgress flight : flights) {
            if (flight.isFetching()) {
                double rate = flight.rate(nowNanos);
                if (flight.bytes() > 0) {
                    seen[count++] = rate;
                }
                if (nowNanos - flight.startedAtNanos > TELLING_NANOS) {
                    stores.computeIfAbsent(flight.store(), absent -> new DoubleSummaryStatistics())
                            .accept(rate);
                }
            } else if (flight.runner != null) {
                holders.add(flight.runner);
            }
        }
        rates = Arrays.copyOf(seen, count);
        Arrays.sort(rates);
        long moving = 0;
        for (OfferedRelay relay : relays) {
            moving += relay.mayMove() ? 1 : 0;
        }
        movingRelays = moving;
    }

    /** Bytes per nanosecond that an attempt at the store gets on average; {@code otherwise}: none is old enough to tell. */
    double rateAt(StoreId store, double otherwise) {
        DoubleSummaryStatistics seen = stores.get(store);
        return seen == null ? otherwise : seen.getAverage();
    }

    /** Whether an attempt that brings bytes, {@code own} per nanosecond, gets less than half of what half of the others do. */
    boolean isBehindOthers(double own) {
        int others = rates.length - 1;
        if (others < 1) {
            return true;
        }
        int middle = others / 2;
        boolean isBelow = Arrays.binarySearch(rates, own) <= middle;
        return own < rates[isBelow ? middle + 1 : middle] / 2;
    }

    /** Whether the racer has what the destination has not: it may let blocks wait that come after that. */
    boolean holds(RacerId racer) {
        return holders.contains(racer);
    }

    /** Relays that may move now. */
    long movingRelays() {
        return movingRelays;
    }
}
