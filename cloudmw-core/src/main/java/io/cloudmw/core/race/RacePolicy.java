package io.cloudmw.core.race;

import java.time.Duration;

/**
 * The policy of a racer: how long it waits for rivals and how much it holds.
 *
 * @param yieldTimeoutNanos a rival that has not answered a claim for this long counts as having yielded; the
 *     destination decides about a block that the rival may still send
 * @param maxHeldBlocks undelivered blocks that a racer may hold before it pauses. A block earlier in the file than all
 *     it holds is always started, so the destination never waits for a paused racer
 */
public record RacePolicy(long yieldTimeoutNanos, int maxHeldBlocks) {
    /** Blocks a lane may have besides those it holds: one being fetched, two queued, one issued anew. */
    private static final int BESIDE_HELD = 4;

    public RacePolicy {
        if (yieldTimeoutNanos <= 0) {
            throw new IllegalArgumentException("yieldTimeoutNanos: " + yieldTimeoutNanos + " (expected: > 0)");
        }
        if (maxHeldBlocks < 1) {
            throw new IllegalArgumentException("maxHeldBlocks: " + maxHeldBlocks + " (expected: >= 1)");
        }
    }

    /**
     * The same policy where {@code lanes} racers together may be issued {@code blocks} blocks at once: each racer keeps
     * room for the blocks it fetches, queues and is issued anew.
     */
    public RacePolicy within(int blocks, int lanes) {
        int room = Math.max(1, blocks / lanes - BESIDE_HELD);
        return maxHeldBlocks <= room ? this : new RacePolicy(yieldTimeoutNanos, room);
    }

    /** The paper's rounds: one attempt per helper and round, relay of the winner overlapped with the next round. */
    public static RacePolicy rounds() {
        return new RacePolicy(Duration.ofSeconds(1).toNanos(), 2);
    }
}
