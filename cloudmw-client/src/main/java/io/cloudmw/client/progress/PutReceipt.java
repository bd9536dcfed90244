package io.cloudmw.client.progress;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.file.FileVersion;
import java.time.Duration;
import java.util.Map;

/**
 * The receipt of a put: its results and its cost.
 *
 * @param version the version that was committed
 * @param replicasStored replicas that were durable at the commit
 * @param replicasOwed replicas that were not durable at the commit: still written in the background, or missing
 * @param resumedBytes bytes that an earlier, interrupted put had stored, and that were not sent again
 * @param helpers the share of each helper
 * @param cost requests to stores, including those of replicas still being written, and their price
 */
public record PutReceipt(
        FileVersion version,
        long replicasStored,
        long replicasOwed,
        long resumedBytes,
        Map<HelperId, WriteShare> helpers,
        Duration elapsed,
        TransferCost cost) {
    public PutReceipt {
        helpers = Map.copyOf(helpers);
    }
}
