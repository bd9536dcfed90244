package io.cloudmw.core.race;

import java.time.Duration;

/**
 * How the destination behaves.
 *
 * @param windowBlocks blocks issued at most ahead of the lowest one not yet delivered
 * @param stallNanos an accepted relay that delivers no leaf for this long while it has credit is given up with its
 *     racer, and so is a winner, named by every other entrant, that offers nothing for this long
 * @param unofferedNanos the lowest block not yet delivered is issued anew when nobody offered it and its entrants
 *     gave no sign of life for this long
 * @param inOrder accept a relay only when every earlier byte was delivered (a stream); otherwise at once (a file)
 * @param maxReissues times one byte range may be issued again, without a leaf of it arriving, before the transfer
 *     fails
 */
public record DeliveryPolicy(int windowBlocks, long stallNanos, long unofferedNanos, boolean inOrder, int maxReissues) {
    public DeliveryPolicy {
        if (windowBlocks < 1) {
            throw new IllegalArgumentException("windowBlocks: " + windowBlocks + " (expected: >= 1)");
        }
        if (stallNanos <= 0) {
            throw new IllegalArgumentException("stallNanos: " + stallNanos + " (expected: > 0)");
        }
        if (unofferedNanos < stallNanos) {
            throw new IllegalArgumentException(
                    "unofferedNanos: " + unofferedNanos + " (expected: >= stallNanos, " + stallNanos + ")");
        }
        if (maxReissues < 0) {
            throw new IllegalArgumentException("maxReissues: " + maxReissues + " (expected: >= 0)");
        }
    }

    /** Defaults: 4 blocks ahead, stalls after 5 s, 64 re-issues. */
    public static DeliveryPolicy of(boolean inOrder) {
        return new DeliveryPolicy(
                4, Duration.ofSeconds(5).toNanos(), Duration.ofSeconds(60).toNanos(), inOrder, 64);
    }
}
