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
 * @param way chosen because of the promise
 * @param predicted time that {@code quantile} of such reads were expected to take that way
 */
public record SlaReport(Duration deadline, double quantile, boolean met, String why, Way way, Duration predicted) {}
