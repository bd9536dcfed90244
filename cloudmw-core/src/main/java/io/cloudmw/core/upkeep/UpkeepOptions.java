package io.cloudmw.core.upkeep;

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
        Duration collectEvery,
        Duration clockSkew) {
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
                Duration.ofHours(6),
                Duration.ofMinutes(10));
    }

    /** After so long, deletions that a coordinator before this one ordered are over: none is begun after its time. */
    Duration deletesEndAfter() {
        return taskLife.multipliedBy(2);
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: > 0)");
        }
    }
}
