package io.cloudmw.core.monitor;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.hedge.LateThreshold;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.DecayedCount;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SpeedSummary;
import java.util.EnumMap;
import java.util.Map;

/**
 * The measured speed of reads of one size from one store, at one moment. Immutable; the speeds of several readers can
 * be added.
 *
 * @param recent time to first byte, in microseconds, with a half-life of {@value #RECENT_SECONDS} s
 * @param baseline the same with a half-life of {@value #BASELINE_SECONDS} s
 * @param rate throughput after the first byte, in KiB/s, with the half-life of the baseline
 * @param attempts reads begun, with the half-life of the baseline
 * @param errors reads that failed, by code, with the half-life of the baseline; cancelled ones have not failed
 * @param recentReads reads begun, with the recent half-life
 * @param recentBytes bytes read, with the recent half-life
 */
public record Speed(
        CensoredSketch recent,
        CensoredSketch baseline,
        Sketch rate,
        double attempts,
        Map<ErrorCode, Double> errors,
        double recentReads,
        double recentBytes) {
    public static final int RECENT_SECONDS = 10;
    public static final int BASELINE_SECONDS = 600;

    /** A speed without samples. */
    public static final Speed UNKNOWN =
            new Speed(CensoredSketch.EMPTY, CensoredSketch.EMPTY, Sketch.EMPTY, 0, Map.of(), 0, 0);

    /** The percentile of the throughput below which a transfer is slow. */
    private static final double SLOW_PERCENTILE = 0.05;

    static final long RECENT_NANOS = RECENT_SECONDS * 1_000_000_000L;
    static final long BASELINE_NANOS = BASELINE_SECONDS * 1_000_000_000L;

    /** The recent samples from which a shift of the median is believed. */
    private static final int ENOUGH_RECENT = 8;

    /** The least samples of a baseline. */
    private static final int ENOUGH_BASELINE = 16;

    public Speed {
        errors = Map.copyOf(errors);
        require("attempts", attempts);
        require("recentReads", recentReads);
        require("recentBytes", recentBytes);
        errors.forEach((code, count) -> require("errors", count));
    }

    private static void require(String what, double count) {
        if (!(count >= 0 && count < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(what + ": " + count + " (expected: >= 0)");
        }
    }

    /** The share of the begun reads that failed, 0..1. */
    public double errorShare() {
        double failed =
                errors.values().stream().mapToDouble(Double::doubleValue).sum();
        return attempts <= 0 ? 0 : Math.min(1, failed / attempts);
    }

    /**
     * The factor by which the median time to first byte has moved: 10 when it is ten times as long. 1 when there are
     * too few samples, recent or in all.
     */
    public double medianShift() {
        if (recent.samples() < ENOUGH_RECENT || baseline.samples() < ENOUGH_BASELINE) {
            return 1;
        }
        return (double) recent.quantile(0.5) / Math.max(1, baseline.quantile(0.5));
    }

    /** Recent reads begun per second. */
    public double readsPerSecond() {
        return DecayedCount.perSecond(recentReads, RECENT_NANOS);
    }

    /** Recent bytes read per second. */
    public double bytesPerSecond() {
        return DecayedCount.perSecond(recentBytes, RECENT_NANOS);
    }

    /** The sum of both. */
    public Speed plus(Speed other) {
        Map<ErrorCode, Double> sum = new EnumMap<>(ErrorCode.class);
        sum.putAll(errors);
        other.errors.forEach((code, count) -> sum.merge(code, count, Double::sum));
        return new Speed(
                recent.plus(other.recent),
                baseline.plus(other.baseline),
                rate.plus(other.rate),
                attempts + other.attempts,
                sum,
                recentReads + other.recentReads,
                recentBytes + other.recentBytes);
    }

    /** The same speed aged by this time, without new samples. */
    public Speed aged(long elapsedNanos) {
        double recently = Math.pow(2, -(double) elapsedNanos / RECENT_NANOS);
        double overall = Math.pow(2, -(double) elapsedNanos / BASELINE_NANOS);
        Map<ErrorCode, Double> fewer = new EnumMap<>(ErrorCode.class);
        errors.forEach((code, count) -> fewer.put(code, count * overall));
        return new Speed(
                recent.times(recently),
                baseline.times(overall),
                rate.times(overall),
                attempts * overall,
                fewer,
                recentReads * recently,
                recentBytes * recently);
    }

    /** The figures that a reader may expect; the defaults where too little is known. */
    public ExpectedSpeed expected() {
        if (baseline.samples() < ExpectedSpeed.ENOUGH_SAMPLES) {
            return ExpectedSpeed.DEFAULT;
        }
        long half = micros(baseline.quantile(0.50));
        long late = Math.max(half, micros(baseline.quantile(LateThreshold.PERCENTILE)));
        boolean rated = rate.samples() >= ExpectedSpeed.ENOUGH_SAMPLES;
        long slow =
                rated ? Math.max(1, rate.quantile(SLOW_PERCENTILE) << 10) : ExpectedSpeed.DEFAULT.slowBytesPerSecond();
        long median = rated ? rate.quantile(0.50) << 10 : ExpectedSpeed.DEFAULT.bytesPerSecond();
        return new ExpectedSpeed(
                half,
                late,
                Math.max(late, micros(baseline.quantile(0.99))),
                Math.max(slow, median),
                slow,
                errorShare(),
                medianShift(),
                baseline.samples());
    }

    private static long micros(long micros) {
        return micros * 1000;
    }

    /** The figures that people look at. */
    public SpeedSummary summary() {
        ExpectedSpeed expected = expected();
        boolean rated = expected.isKnown() && rate.samples() >= ExpectedSpeed.ENOUGH_SAMPLES;
        return new SpeedSummary(
                expected, readsPerSecond(), bytesPerSecond(), rated ? expected.bytesPerSecond() : 0, errors());
    }
}
