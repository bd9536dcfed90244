package io.cloudmw.core.monitor.sketch;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * A distribution in little space: the weights of values on a fixed logarithmic grid. Immutable; merging two is exact,
 * because all sketches share the grid.
 *
 * <p>The grid is HdrHistogram's with one significant digit: 16 steps per doubling. A value is kept as the middle of
 * its step, within {@value #MAX_ERROR_PERCENT}% (and 1) of the recorded one. Values are at least 1 and at most
 * 2<sup>30</sup>; others are recorded as the nearest of these. Weights are in units of 1/{@value #UNITS_PER_SAMPLE}
 * sample, since aged samples count less than one.
 */
public final class Sketch {
    /** Weight of one sample that has not aged. */
    public static final int UNITS_PER_SAMPLE = 16;

    /** The largest difference between a kept and a recorded value, in percent. */
    public static final double MAX_ERROR_PERCENT = 3.2;

    /** The steps of the grid, which bound the entries of a sketch. */
    public static final int MAX_ENTRIES = 432;

    /** The largest weight: more than any real sketch reaches, and small enough that sums of sums do not overflow. */
    static final long MAX_WEIGHT = 1L << 40;

    /** The empty sketch. */
    public static final Sketch EMPTY = new Sketch(new long[0], new long[0], 0);

    private static final Histogram GRID = grid();

    private final long[] values;
    private final long[] weights;
    private final long total;

    private Sketch(long[] values, long[] weights, int entries) {
        this.values = Arrays.copyOf(values, entries);
        this.weights = Arrays.copyOf(weights, entries);
        this.total = Arrays.stream(this.weights).sum();
    }

    /** An empty histogram on the grid. */
    static Histogram grid() {
        return new Histogram(1, 1L << 30, 1);
    }

    static long clamp(long value) {
        return Math.max(1, Math.min(1L << 30, value));
    }

    /**
     * A sketch of these values, which need not be on the grid.
     *
     * @param values ascending
     * @param weights as many; in units of 1/{@value #UNITS_PER_SAMPLE} sample, at least 0; at most 2<sup>40</sup> of
     *     each is kept
     * @throws IllegalArgumentException when they are not so, or more than {@value #MAX_ENTRIES}
     */
    public static Sketch of(long[] values, long[] weights) {
        if (values.length != weights.length || values.length > MAX_ENTRIES) {
            throw new IllegalArgumentException("sketch: " + values.length + " values, " + weights.length
                    + " weights (expected: as many, <= " + MAX_ENTRIES + ")");
        }
        Builder builder = new Builder();
        for (int i = 0; i < values.length; i++) {
            if (weights[i] < 0 || (i > 0 && values[i] < values[i - 1])) {
                throw new IllegalArgumentException("sketch: values must ascend and weights be >= 0");
            }
            builder.add(GRID.medianEquivalentValue(clamp(values[i])), weights[i]);
        }
        return builder.build();
    }

    /** A sketch of unaged samples, for tests and simulations. */
    public static Sketch ofSamples(long... samples) {
        long[] ascending = samples.clone();
        Arrays.sort(ascending);
        Builder builder = new Builder();
        for (long sample : ascending) {
            builder.add(GRID.medianEquivalentValue(clamp(sample)), UNITS_PER_SAMPLE);
        }
        return builder.build();
    }

    /** A collector of ascending values; equal ones become one entry. */
    static final class Builder {
        private long[] values = new long[64];
        private long[] weights = new long[64];
        private int entries;

        void add(long value, long weight) {
            if (weight <= 0) {
                return;
            }
            if (entries > 0 && values[entries - 1] == value) {
                weights[entries - 1] = Math.min(MAX_WEIGHT, weights[entries - 1] + Math.min(MAX_WEIGHT, weight));
                return;
            }
            if (entries == values.length) {
                values = Arrays.copyOf(values, 2 * entries);
                weights = Arrays.copyOf(weights, 2 * entries);
            }
            values[entries] = value;
            weights[entries++] = Math.min(MAX_WEIGHT, weight);
        }

        Sketch build() {
            return entries == 0 ? EMPTY : new Sketch(values, weights, entries);
        }
    }

    /** The number of different values; {@link #value} and {@link #weight} take indexes below it. */
    public int entries() {
        return values.length;
    }

    /** The {@code index}-th smallest value. */
    public long value(int index) {
        return values[index];
    }

    /** The weight of the {@code index}-th smallest value, in units of 1/{@value #UNITS_PER_SAMPLE} sample. */
    public long weight(int index) {
        return weights[index];
    }

    /** The weight in unaged samples. */
    public double samples() {
        return (double) total / UNITS_PER_SAMPLE;
    }

    long totalWeight() {
        return total;
    }

    public boolean isEmpty() {
        return total == 0;
    }

    /** The smallest value that at least {@code quantile} (0..1) of the weight does not exceed; 0 when empty. */
    public long quantile(double quantile) {
        double wanted = quantile * total;
        long sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += weights[i];
            if (sum >= wanted) {
                return values[i];
            }
        }
        return 0;
    }

    /** The sum of both. */
    public Sketch plus(Sketch other) {
        if (isEmpty() || other.isEmpty()) {
            return isEmpty() ? other : this;
        }
        Builder sum = new Builder();
        int mine = 0;
        int theirs = 0;
        while (mine < values.length || theirs < other.values.length) {
            if (theirs == other.values.length || (mine < values.length && values[mine] <= other.values[theirs])) {
                sum.add(values[mine], weights[mine++]);
            } else {
                sum.add(other.values[theirs], other.weights[theirs++]);
            }
        }
        return sum.build();
    }

    /** The same distribution with its weights multiplied; those below half a unit are dropped. */
    public Sketch times(double factor) {
        Builder scaled = new Builder();
        for (int i = 0; i < values.length; i++) {
            scaled.add(values[i], Math.round(weights[i] * factor));
        }
        return scaled.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sketch that
                && Arrays.equals(values, that.values)
                && Arrays.equals(weights, that.weights);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(values) + Arrays.hashCode(weights);
    }

    @Override
    public String toString() {
        return "Sketch[samples=" + samples() + ", p50=" + quantile(0.5) + ", p99=" + quantile(0.99) + "]";
    }
}
