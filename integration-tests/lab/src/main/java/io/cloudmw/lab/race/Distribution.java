package io.cloudmw.lab.race;

import java.util.Arrays;
import java.util.Collection;

/**
 * Measured values, in order. Quantiles are order statistics, nothing is interpolated: the q-quantile of n values is the
 * smallest of them that at least q·n of them do not exceed. So the p99 of 40 values is the largest, and p99.9 says
 * something of its own only from 1,000 values on.
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
     * The value that at least this share of them do not exceed.
     *
     * @param share 0 exclusive to 1
     */
    public double quantile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: 0 < share <= 1)");
        }
        // 0.999 * 1000 is a little more than 999 in binary.
        int rank = (int) Math.ceil(share * sorted.length - 1e-9);
        return sorted[rank - 1];
    }

    public double smallest() {
        return sorted[0];
    }

    public int count() {
        return sorted.length;
    }

    /** All of them, ascending; a copy. */
    double[] ascending() {
        return Arrays.copyOf(sorted, sorted.length);
    }
}
