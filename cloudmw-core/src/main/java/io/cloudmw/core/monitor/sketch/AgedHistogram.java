package io.cloudmw.core.monitor.sketch;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A histogram whose samples lose half of their weight after each half-life. Not thread-safe.
 *
 * <p>The algorithm: forward decay. Old samples keep their weight, and new ones are recorded heavier, by 2^(time since
 * a landmark / half-life); quantiles do not depend on the scale. When the scale has grown by 2^{@value
 * #RESCALE_HALF_LIVES} all weights are divided once and the landmark moves. [1] G. Cormode, V. Shkapenyuk, D.
 * Srivastava, B. Xu: Forward Decay, ICDE 2009, §3.
 */
public final class AgedHistogram {
    private static final int RESCALE_HALF_LIVES = 16;

    private final long halfLifeNanos;
    private Histogram histogram = Sketch.grid();
    private long landmarkNanos;

    public AgedHistogram(long halfLifeNanos, long nowNanos) {
        this.halfLifeNanos = halfLifeNanos;
        this.landmarkNanos = nowNanos;
    }

    public void record(long value, long nowNanos) {
        double age = halfLives(nowNanos);
        if (age > RESCALE_HALF_LIVES) {
            rescale(nowNanos, age);
            age = 0;
        }
        histogram.recordValueWithCount(
                Sketch.clamp(value), Math.round(Sketch.UNITS_PER_SAMPLE * Math.pow(2, Math.max(0, age))));
    }

    /** The sketch as of now. */
    public Sketch sketch(long nowNanos) {
        double factor = Math.pow(2, -halfLives(nowNanos));
        Sketch.Builder sketch = new Sketch.Builder();
        for (HistogramIterationValue entry : histogram.recordedValues()) {
            sketch.add(
                    histogram.medianEquivalentValue(entry.getValueIteratedTo()),
                    Math.round(entry.getCountAtValueIteratedTo() * factor));
        }
        return sketch.build();
    }

    private void rescale(long nowNanos, double age) {
        Histogram lighter = Sketch.grid();
        double factor = Math.pow(2, -age);
        for (HistogramIterationValue entry : histogram.recordedValues()) {
            long count = Math.round(entry.getCountAtValueIteratedTo() * factor);
            if (count > 0) {
                lighter.recordValueWithCount(entry.getValueIteratedTo(), count);
            }
        }
        histogram = lighter;
        landmarkNanos = nowNanos;
    }

    private double halfLives(long nowNanos) {
        return (double) (nowNanos - landmarkNanos) / halfLifeNanos;
    }
}
