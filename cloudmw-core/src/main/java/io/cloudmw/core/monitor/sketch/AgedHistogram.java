package io.cloudmw.core.monitor.sketch;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A histogram in which every sample counts half after each half-life. Not thread-safe.
 *
 * <p>The algorithm: forward decay. Instead of making old samples lighter again and again, new ones are recorded
 * heavier, by 2^(time since a landmark / half-life); quantiles do not care about the scale. When the scale has grown by
 * 2^{@value #RESCALE_HALF_LIVES} all weights are divided once and the landmark moves. [1] G. Cormode, V. Shkapenyuk, D.
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

    /** As of now. */
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
