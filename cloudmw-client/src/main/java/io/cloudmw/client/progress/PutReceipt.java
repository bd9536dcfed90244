package io.cloudmw.client.progress;

import io.cloudmw.core.model.FileVersion;
import java.time.Duration;

/**
 * What a put did.
 *
 * @param version what was committed
 * @param replicasStored copies that were durable at the commit
 * @param replicasOwed copies that were not durable yet when the put was: still written in the background, or missing
 * @param resumedBytes what an earlier, interrupted put had stored, and was not sent again
 * @param cost what was asked of stores, copies that are still being written included, and its price; nothing was asked of
 *     a store that could take no copy
 */
public record PutReceipt(
        FileVersion version,
        long replicasStored,
        long replicasOwed,
        long resumedBytes,
        Duration elapsed,
        TransferCost cost) {}
