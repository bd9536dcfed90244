package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.fleet.Store;
import java.time.Duration;

/**
 * How a coordinator keeps what is stored as it ought to be.
 *
 * @param interval how often it is looked for copies to repair, at most
 * @param repairAfter a store that is away for longer is taken for lost: its copies are made anew elsewhere
 * @param owedAfter a copy that is owed for longer is made by repair, not waited for
 * @param taskLife how long a helper may take for a task, besides a second for each MiB
 * @param scrubEvery how often a round of reading and checking all copies begins, at most
 * @param scrubBytesPerSecond what it reads of each store
 * @param collects whether garbage is deleted at all
 * @param collectEvery how often a round of garbage collection begins, at most
 * @param clockSkew by so much civil clocks may differ: that is added to what tokens last before something is deleted
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
        Duration clockSkew) {
    /** S3 refuses requests that were signed longer ago. */
    private static final Duration SIGNATURE = Duration.ofMinutes(15);

    public UpkeepOptions {
        requirePositive("interval", interval);
        requirePositive("repairAfter", repairAfter);
        requirePositive("owedAfter", owedAfter);
        requirePositive("taskLife", taskLife);
        requirePositive("scrubEvery", scrubEvery);
        requirePositive("collectEvery", collectEvery);
        requirePositive("clockSkew", clockSkew);
        if (scrubBytesPerSecond < 1) {
            throw new IllegalArgumentException("scrubBytesPerSecond: " + scrubBytesPerSecond + " (expected: >= 1)");
        }
    }

    /**
     * Looked for every 5 s; stores lost after 10 min, copies owed no longer than 1 min, tasks of 1 min; scrubbed every 30 days,
     * at 16 MiB/s of each store; garbage looked for every 6 h, clocks that differ by 10 min.
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
                Duration.ofMinutes(10));
    }

    /**
     * So long after a helper was told to delete something in a store, the deletion has happened or never will. The owner of a disk
     * asks for its time immediately before; a bucket refuses what was signed, by a clock that may be wrong, too long ago.
     */
    Duration deletesEndAfter(Store store) {
        Duration task = taskLife.multipliedBy(2);
        return store.owner().isPresent() ? task : task.plus(SIGNATURE).plus(clockSkew);
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: > 0)");
        }
    }
}
