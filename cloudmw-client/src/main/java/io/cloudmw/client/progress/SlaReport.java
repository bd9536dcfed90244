package io.cloudmw.client.progress;

import io.cloudmw.core.cost.ReadStrategy;
import java.time.Duration;

/**
 * A report on a read's deadline.
 *
 * @param deadline the deadline of this read
 * @param quantile the share of such reads that must meet it
 * @param met whether this read met it
 * @param why the reason, in words
 * @param way the mode, fan-out and hedge delay of the read
 * @param chosen true when the deadline chose {@code way}. False when the caller named the mode, or when the volume's
 *     mode was used for lack of measurements
 * @param predicted time within which {@code quantile} of such reads were expected to end
 */
public record SlaReport(
        Duration deadline,
        double quantile,
        boolean met,
        String why,
        ReadStrategy way,
        boolean chosen,
        Duration predicted) {}
