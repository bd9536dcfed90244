package io.cloudmw.coordinator.upkeep.schedule;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.util.List;

/**
 * The lease, catalog, options and clocks that all jobs of an upkeep term share.
 *
 * @param lease renewed elsewhere
 * @param age the time that upkeep has run in all
 * @param graceMillis the age at which every token is invalid; a copy must have been unreferenced for longer before it is
 *     deleted
 */
public record UpkeepContext(
        Catalog catalog,
        Lease lease,
        UpkeepOptions options,
        UpkeepClock age,
        Ticker ticker,
        WallClock clock,
        long graceMillis) {

    /**
     * Records results of upkeep, in as many calls of the catalog as they need.
     *
     * @throws CloudMwException {@code LEASE_LOST}; some may have been recorded
     */
    public void settle(List<ReplicaRecord> records) throws CloudMwException {
        for (int from = 0; from < records.size(); from += UpkeepRecords.MAX_SETTLED) {
            catalog.settle(lease, records.subList(from, Math.min(records.size(), from + UpkeepRecords.MAX_SETTLED)));
        }
    }
}
