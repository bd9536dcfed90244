package io.cloudmw.coordinator;

import io.cloudmw.coordinator.upkeep.UpkeepOptions;
import io.cloudmw.core.config.Durations;
import java.time.Duration;

/**
 * How a coordinator behaves.
 *
 * @param heartbeatInterval how often helpers renew their lease
 * @param helperTtl a lease ends this long after the last heartbeat; longer than two intervals
 * @param tokenTtl how long a transfer may take before it needs a new plan
 * @param abandonedAfter an upload without progress for this long is given up
 * @param abandonedCheck how often such uploads are looked for
 * @param snapshotCheck how often what no snapshot sees any more is dropped
 * @param storeCheck how often each bucket is asked whether it can be used
 * @param upkeep how it keeps what is stored as it ought to be; takes no store for lost within a lease's life
 */
public record CoordinatorOptions(
        Duration heartbeatInterval,
        Duration helperTtl,
        Duration tokenTtl,
        Duration abandonedAfter,
        Duration abandonedCheck,
        Duration snapshotCheck,
        Duration storeCheck,
        UpkeepOptions upkeep) {
    private static final Duration LONGEST_EXCHANGE = Duration.ofSeconds(1);

    public CoordinatorOptions {
        requirePositive("heartbeatInterval", heartbeatInterval);
        requirePositive("tokenTtl", tokenTtl);
        requirePositive("abandonedAfter", abandonedAfter);
        requirePositive("abandonedCheck", abandonedCheck);
        requirePositive("snapshotCheck", snapshotCheck);
        requirePositive("storeCheck", storeCheck);
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
     * Heartbeats every 2 s, leases of 7 s, tokens for 6 h, uploads given up after 7 days, looked for every hour, and so often what
     * no snapshot sees; buckets asked every minute.
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
                UpkeepOptions.defaults());
    }

    /**
     * How often coordinators that share a catalog tell each other which helpers they hear: twice for each heartbeat, and once
     * a second at least.
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
