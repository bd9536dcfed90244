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
    public RacePolicy {
        if (yieldTimeoutNanos <= 0) {
            throw new IllegalArgumentException("yieldTimeoutNanos: " + yieldTimeoutNanos + " (expected: > 0)");
        }
        if (maxHeldBlocks < 1) {
            throw new IllegalArgumentException("maxHeldBlocks: " + maxHeldBlocks + " (expected: >= 1)");
        }
    }

    /** The paper's rounds: one attempt per helper and round, relay of the winner overlapped with the next round. */
    public static RacePolicy rounds() {
        return new RacePolicy(Duration.ofSeconds(1).toNanos(), 2);
    }
}
