package io.cloudmw.core.status.fleet;

import io.cloudmw.core.error.ErrorCode;
import java.util.Map;

/**
 * The summary of a speed for people. Immutable.
 *
 * @param expected of reads of all sizes
 * @param readsPerSecond recent
 * @param bytesPerSecond recent, of all reads together
 * @param streamBytesPerSecond that half of the reads exceed after their first byte; 0: not known
 * @param errors reads that failed, by code, aged with the baseline's half-life
 */
public record SpeedSummary(
        ExpectedSpeed expected,
        double readsPerSecond,
        double bytesPerSecond,
        long streamBytesPerSecond,
        Map<ErrorCode, Double> errors) {
    public SpeedSummary {
        if (streamBytesPerSecond < 0) {
            throw new IllegalArgumentException("streamBytesPerSecond: " + streamBytesPerSecond + " (expected: >= 0)");
        }
        errors = Map.copyOf(errors);
    }
}
