package io.cloudmw.core.testing.fleet;

import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.StoreId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The simplest monitor: quantiles of the latest responses of each store, for all readers together. */
public final class FleetSpeeds implements SpeedEstimates {
    private static final int KEPT = 256;
    private static final int ENOUGH = 32;
    private static final int EVERY = 16;

    private static final class Recent {
        final double[] values = new double[KEPT];
        int count;
        double p5;
        double p50;
        double p95;

        void add(double value) {
            values[count++ % KEPT] = value;
            if (count >= ENOUGH && count % EVERY == 0) {
                double[] sorted = Arrays.copyOf(values, Math.min(count, KEPT));
                Arrays.sort(sorted);
                p5 = sorted[(int) (sorted.length * 0.05)];
                p50 = sorted[sorted.length / 2];
                p95 = sorted[(int) (sorted.length * 0.95)];
            }
        }
    }

    private final Map<StoreId, Recent> firstBytes = new HashMap<>();
    private final Map<StoreId, Recent> rates = new HashMap<>();

    void firstByte(StoreId store, long nanos) {
        firstBytes.computeIfAbsent(store, unused -> new Recent()).add((double) nanos);
    }

    void throughput(StoreId store, double bytesPerSecond) {
        rates.computeIfAbsent(store, unused -> new Recent()).add(bytesPerSecond);
    }

    @Override
    public SpeedEstimate expected(StoreId store, int helper, long sizeBytes) {
        Recent first = firstBytes.get(store);
        Recent rate = rates.get(store);
        return new SpeedEstimate(
                first == null ? 0 : (long) first.p50,
                first == null ? 0 : (long) first.p95,
                rate == null ? 0 : rate.p50,
                rate == null ? 0 : rate.p5);
    }
}
