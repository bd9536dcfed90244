package io.cloudmw.lab.race;

import java.util.Arrays;
import java.util.Collection;

/**
 * Sorted measurements. Quantiles are order statistics without interpolation: the q-quantile of n values is the smallest
 * value that at least q·n values do not exceed. So the p99 of 40 values is the largest; p99.9 differs from the largest
 * only from 1,000 values on.
 */
public final class Distribution {
    private final double[] sorted;

    public Distribution(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("values: none (expected: at least one)");
        }
        sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    /**
     * Returns the smallest value that at least this share of the values do not exceed.
     *
     * @param share 0 exclusive to 1
     */
    public double quantile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: 0 < share <= 1)");
        }
        // In binary floating point 0.999 * 1000 is slightly more than 999.
        int rank = (int) Math.ceil(share * sorted.length - 1e-9);
        return sorted[rank - 1];
    }

    public double smallest() {
        return sorted[0];
    }

    public int count() {
        return sorted.length;
    }

    /** Returns a copy of all values in ascending order. */
    double[] ascending() {
        return Arrays.copyOf(sorted, sorted.length);
    }
}
