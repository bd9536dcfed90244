package io.cloudmw.core.monitor;

import io.cloudmw.core.error.ErrorCode;
import java.util.Map;

/**
 * A speed in the few figures people look at. Immutable.
 *
 * @param expected of reads of all sizes
 * @param readsPerSecond of late
 * @param bytesPerSecond of late
 * @param errors reads that failed, by code, aged with the baseline's half-life
 */
public record SpeedSummary(
        ExpectedSpeed expected, double readsPerSecond, double bytesPerSecond, Map<ErrorCode, Double> errors) {
    public SpeedSummary {
        errors = Map.copyOf(errors);
    }

    public static SpeedSummary of(Speed speed) {
        return new SpeedSummary(
                ExpectedSpeed.of(speed), speed.readsPerSecond(), speed.bytesPerSecond(), speed.errors());
    }
}
