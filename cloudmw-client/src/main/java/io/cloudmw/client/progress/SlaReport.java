package io.cloudmw.client.progress;

import io.cloudmw.core.cost.Way;
import java.time.Duration;

/**
 * What became of a promise.
 *
 * @param deadline for this read
 * @param quantile share of such reads that must keep it
 * @param met whether this one did
 * @param why in words: what decided
 * @param way how it was read
 * @param chosen whether the promise chose that way; otherwise it was the mode's, named by the caller or, where too little
 *     is known of the stores, by the volume
 * @param predicted time that {@code quantile} of such reads were expected to take that way
 */
public record SlaReport(
        Duration deadline, double quantile, boolean met, String why, Way way, boolean chosen, Duration predicted) {}
