package io.cloudmw.coordinator.upkeep.schedule;

import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;

/**
 * The intervals, rates and limits of upkeep.
 *
 * @param interval the least time between two looks for copies to repair
 * @param repairAfter how long a store may be absent before it is lost, so that its copies are made elsewhere
 * @param owedAfter how long a copy may be owed before repair makes it
 * @param taskLife how long a helper may take for a task, besides a second for each MiB
 * @param scrubEvery the least time between the beginnings of two scrub rounds
 * @param scrubBytesPerSecond the scrub rate of each store
 * @param collects whether garbage is deleted
 * @param collectEvery the least time between the beginnings of two garbage collections
 * @param clockSkew how much civil clocks may differ; it is added to the life of tokens before a deletion
 * @param compactBelowPercent a pack of which at most this share of the bytes is needed is compacted; 0: none is
 * @param leaseTerm another coordinator takes over so long after the one that did upkeep has died
 */
public record UpkeepOptions(
        Duration interval,
        Duration repairAfter,
        Duration owedAfter,
        Duration taskLife,
        Duration scrubEvery,
        long scrubBytesPerSecond,
        boolean collects,
        Duration collectEvery,
        Duration clockSkew,
        int compactBelowPercent,
        Duration leaseTerm) {
    /** A pack is not rewritten for less than a tenth of its bytes. */
    public static final int MOST_PERCENT = 90;

    /** The age at which S3 refuses a signed request. */
    private static final Duration SIGNATURE = Duration.ofMinutes(15);

    public UpkeepOptions {
        requirePositive("interval", interval);
        requirePositive("repairAfter", repairAfter);
        requirePositive("owedAfter", owedAfter);
        requirePositive("taskLife", taskLife);
        requirePositive("scrubEvery", scrubEvery);
        requirePositive("collectEvery", collectEvery);
        requirePositive("clockSkew", clockSkew);
        requirePositive("leaseTerm", leaseTerm);
        if (scrubBytesPerSecond < 1) {
            throw new IllegalArgumentException("scrubBytesPerSecond: " + scrubBytesPerSecond + " (expected: >= 1)");
        }
        if (compactBelowPercent < 0 || compactBelowPercent > MOST_PERCENT) {
            throw new IllegalArgumentException(
                    "compactBelowPercent: " + compactBelowPercent + " (expected: 0.." + MOST_PERCENT + ")");
        }
    }

    /**
     * Returns the defaults. Repair looks every 5 s; stores are lost after 10 min, and copies are owed for 1 min; tasks
     * take 1 min. Scrub runs every 30 days at 16 MiB/s per store. Garbage collection runs every 6 h and allows for
     * clocks that differ by 10 min; it compacts packs of which at most half is needed.
     */
    public static UpkeepOptions defaults() {
        return new UpkeepOptions(
                Duration.ofSeconds(5),
                Duration.ofMinutes(10),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofDays(30),
                16 << 20,
                true,
                Duration.ofHours(6),
                Duration.ofMinutes(10),
                50,
                Duration.ofSeconds(30));
    }

    /**
     * Returns how long after its order a deletion may still happen in a store. The owner of a disk checks the time
     * immediately before. A bucket refuses a request that was signed too long ago, by a clock that may be wrong.
     */
    public Duration deletesEndAfter(Store store) {
        Duration task = taskLife.multipliedBy(2);
        return store.owner().isPresent() ? task : task.plus(SIGNATURE).plus(clockSkew);
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: > 0)");
        }
    }
}
