package io.cloudmw.client.progress;

import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.HelperId;
import java.time.Duration;
import java.util.Map;

/**
 * What a put did.
 *
 * @param version what was committed
 * @param replicasStored copies that were durable at the commit
 * @param replicasOwed copies that were not durable yet when the put was: still written in the background, or missing
 * @param resumedBytes what an earlier, interrupted put had stored, and was not sent again
 * @param helpers what each helper took
 * @param cost what was asked of stores, copies that are still being written included, and its price; nothing was asked of
 *     a store that could take no copy
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
