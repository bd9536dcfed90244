package io.cloudmw.core.race;

import java.time.Duration;

/**
 * How racers behave: the value a mode is.
 *
 * @param yieldTimeoutNanos a claim that a peer has not answered for this long is taken as yielded: the
 *     destination settles what that peer may still send
 * @param maxHeldBlocks finished blocks a racer may hold undelivered before it pauses; a block earlier in the file
 *     than all it holds is always started, so that the destination can never wait for a paused racer
 */
public record RacePolicy(long yieldTimeoutNanos, int maxHeldBlocks) {
    /** Blocks a lane may be issued besides those it holds: one it fetches, two that wait in its queue, one anew. */
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
     * The same where {@code lanes} racers together may be issued {@code blocks} blocks at once: none holds so many that
     * there is no room left for what it fetches, what waits for it, and a block that is issued anew.
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
