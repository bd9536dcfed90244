package io.cloudmw.core.cost.plan;

import io.cloudmw.core.status.fleet.ExpectedSpeed;

/**
 * The full distributions drawn through the few quantiles that plans carry. Logarithms are interpolated over normal
 * scores: exact at the given quantiles, log-normal between and beyond them. The curve moves with the median, when that
 * has moved lately.
 */
final class SpeedCurve {
    private static final double Z95 = 1.6448536269514722;
    private static final double Z99 = 2.3263478740408408;

    private final double halfLog;
    private final double bodySlope;
    private final double tailSlope;
    private final double log95;
    private final double rateLog;
    private final double rateSlope;

    SpeedCurve(ExpectedSpeed speed) {
        double moved = Math.log(speed.medianShift());
        halfLog = log(speed.firstByteP50Nanos()) + moved;
        log95 = log(speed.firstByteP95Nanos()) + moved;
        bodySlope = (log95 - halfLog) / Z95;
        tailSlope = (log(speed.firstByteP99Nanos()) + moved - log95) / (Z99 - Z95);
        rateLog = log(speed.bytesPerSecond());
        rateSlope = (rateLog - log(speed.slowBytesPerSecond())) / Z95;
    }

    private static double log(long value) {
        return Math.log((double) Math.max(1, value));
    }

    /** Seconds to the first byte of the wait at this normal score: 0 is the median, 2.33 the p99. */
    double firstByteSeconds(double score) {
        double logNanos = score <= Z95 ? halfLog + bodySlope * score : log95 + tailSlope * (score - Z95);
        return Math.exp(logNanos) / 1e9;
    }

    /** Bytes a second of the stream at this normal score: 0 is the median, higher is slower. */
    double bytesPerSecond(double score) {
        return Math.exp(rateLog - rateSlope * score);
    }
}
