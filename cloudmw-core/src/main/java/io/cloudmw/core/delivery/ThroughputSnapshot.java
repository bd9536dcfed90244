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

/** The throughput of everything under way at one moment: measured once, then read for every attempt. */
final class ThroughputSnapshot {
    /** An attempt this old says something about its store. */
    private static final long TELLING_NANOS = 500_000_000;

    private final double[] rates;
    private final Map<StoreId, DoubleSummaryStatistics> stores = new HashMap<>();
    private final long movingRelays;
    private final Set<RacerId> holders = new HashSet<>();

    ThroughputSnapshot(Collection<BlockProgress> blocks, Collection<OfferedRelay> relays, long nowNanos) {
        double[] seen = new double[blocks.size()];
        int count = 0;
        for (BlockProgress block : blocks) {
            AttemptProgress attempt = block.attempt();
            RacerId runner = attempt.runner();
            if (attempt.isFetching()) {
                double rate = attempt.rate(nowNanos);
                if (attempt.bytes() > 0) {
                    seen[count++] = rate;
                }
                if (nowNanos - attempt.startedAtNanos() > TELLING_NANOS) {
                    stores.computeIfAbsent(block.store(), absent -> new DoubleSummaryStatistics())
                            .accept(rate);
                }
            } else if (runner != null) {
                holders.add(runner);
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

    /**
     * The mean rate of an attempt at the store in bytes per nanosecond; {@code otherwise}: no attempt is old enough.
     */
    double rateAt(StoreId store, double otherwise) {
        DoubleSummaryStatistics seen = stores.get(store);
        return seen == null ? otherwise : seen.getAverage();
    }

    /**
     * Returns whether an attempt with {@code own} bytes per nanosecond gets less than half of what half of the others
     * get.
     */
    boolean isBehindOthers(double own) {
        int others = rates.length - 1;
        if (others < 1) {
            return true;
        }
        int middle = others / 2;
        boolean isBelow = Arrays.binarySearch(rates, own) <= middle;
        return own < rates[isBelow ? middle + 1 : middle] / 2;
    }

    /** Returns whether the racer holds a block the destination has not: it may let later blocks wait. */
    boolean holds(RacerId racer) {
        return holders.contains(racer);
    }

    /** The number of relays that can move now. */
    long movingRelays() {
        return movingRelays;
    }
}
