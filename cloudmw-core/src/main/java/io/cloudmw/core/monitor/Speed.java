package io.cloudmw.core.monitor;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.DecayedCount;
import io.cloudmw.core.monitor.sketch.Sketch;
import java.util.EnumMap;
import java.util.Map;

/**
 * What is known, at one moment, of reads of one size from one store. Immutable; the speeds seen by several readers add
 * up to one.
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

    /** Nothing known. */
    public static final Speed UNKNOWN =
            new Speed(CensoredSketch.EMPTY, CensoredSketch.EMPTY, Sketch.EMPTY, 0, Map.of(), 0, 0);

    static final long RECENT_NANOS = RECENT_SECONDS * 1_000_000_000L;
    static final long BASELINE_NANOS = BASELINE_SECONDS * 1_000_000_000L;

    /** Recent samples from which a median is believed to have moved. */
    private static final int ENOUGH_RECENT = 8;

    /** Samples of the baseline from which it is one. */
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

    /** Share of the reads begun that failed, 0..1. */
    public double errorShare() {
        double failed =
                errors.values().stream().mapToDouble(Double::doubleValue).sum();
        return attempts <= 0 ? 0 : Math.min(1, failed / attempts);
    }

    /**
     * By how much the median time to first byte has moved: 1 as ever, 10 when everything takes ten times as long. 1
     * when too little was read recently, or ever, to tell.
     */
    public double medianShift() {
        if (recent.samples() < ENOUGH_RECENT || baseline.samples() < ENOUGH_BASELINE) {
            return 1;
        }
        return (double) recent.quantile(0.5) / Math.max(1, baseline.quantile(0.5));
    }

    /** Reads begun in a second, of late. */
    public double readsPerSecond() {
        return DecayedCount.perSecond(recentReads, RECENT_NANOS);
    }

    /** Bytes read in a second, of late. */
    public double bytesPerSecond() {
        return DecayedCount.perSecond(recentBytes, RECENT_NANOS);
    }

    /** Both together. */
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

    /** What this is worth later, when nothing was added meanwhile. */
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
}
