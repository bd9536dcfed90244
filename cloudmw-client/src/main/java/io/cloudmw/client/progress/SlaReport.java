package io.cloudmw.client.progress;

import io.cloudmw.core.cost.ReadStrategy;
import java.time.Duration;

/**
 * A report on a read's deadline.
 *
 * @param deadline of this read
 * @param quantile the share of such reads that must meet it
 * @param met whether this one did
 * @param why the reason, in words
 * @param way the mode, fan-out and hedge delay of the read
 * @param chosen whether the deadline chose them; otherwise the caller named the mode, or, where too little is known of
 *     the stores, the volume's mode was used
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
