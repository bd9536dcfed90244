package io.cloudmw.coordinator;

import io.cloudmw.coordinator.upkeep.schedule.UpkeepOptions;
import io.cloudmw.core.config.Durations;
import java.time.Duration;

/**
 * The options of a coordinator.
 *
 * @param heartbeatInterval how often helpers renew their lease
 * @param helperTtl how long a lease lasts after a heartbeat; longer than two intervals
 * @param tokenTtl how long a transfer may take before it needs a new plan
 * @param abandonedAfter how long an upload may make no progress before it is abandoned
 * @param abandonedCheck how often such uploads are looked for
 * @param snapshotCheck how often entries that no snapshot sees are dropped
 * @param storeCheck how often each bucket is probed
 * @param recordedReads how many reads a second are recorded, attempt by attempt; 0: none
 * @param upkeep the options of upkeep; no store counts as lost within a lease's life
 */
public record CoordinatorOptions(
        Duration heartbeatInterval,
        Duration helperTtl,
        Duration tokenTtl,
        Duration abandonedAfter,
        Duration abandonedCheck,
        Duration snapshotCheck,
        Duration storeCheck,
        int recordedReads,
        UpkeepOptions upkeep) {
    private static final Duration LONGEST_EXCHANGE = Duration.ofSeconds(1);

    public CoordinatorOptions {
        requirePositive("heartbeatInterval", heartbeatInterval);
        requirePositive("tokenTtl", tokenTtl);
        requirePositive("abandonedAfter", abandonedAfter);
        requirePositive("abandonedCheck", abandonedCheck);
        requirePositive("snapshotCheck", snapshotCheck);
        requirePositive("storeCheck", storeCheck);
        if (recordedReads < 0) {
            throw new IllegalArgumentException("recordedReads: " + recordedReads + " (expected: >= 0)");
        }
        if (helperTtl.compareTo(heartbeatInterval.multipliedBy(2)) <= 0) {
            throw new IllegalArgumentException("helperTtl: " + Durations.format(helperTtl) + " (expected: > 2 x "
                    + Durations.format(heartbeatInterval) + ", between heartbeats)");
        }
        if (upkeep.repairAfter().compareTo(helperTtl) < 0) {
            throw new IllegalArgumentException("repairAfter: " + Durations.format(upkeep.repairAfter())
                    + " (expected: >= " + Durations.format(helperTtl) + ", a helper's lease)");
        }
    }

    /**
     * Returns the defaults: heartbeats every 2 s and leases of 7 s; tokens for 6 h; uploads abandoned after 7 days;
     * hourly checks of uploads and snapshots; a probe of each bucket every minute; two recorded reads a second.
     */
    public static CoordinatorOptions defaults() {
        return new CoordinatorOptions(
                Duration.ofSeconds(2),
                Duration.ofSeconds(7),
                Duration.ofHours(6),
                Duration.ofDays(7),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofMinutes(1),
                2,
                UpkeepOptions.defaults());
    }

    /**
     * Returns how often coordinators of one catalog exchange reports: twice per heartbeat, and at least once a second.
     */
    public Duration exchangeInterval() {
        Duration half = heartbeatInterval.dividedBy(2);
        return half.compareTo(LONGEST_EXCHANGE) < 0 ? half : LONGEST_EXCHANGE;
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + Durations.format(duration) + " (expected: > 0)");
        }
    }
}
