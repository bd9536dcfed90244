package io.cloudmw.core.race;

import java.time.Duration;

/**
 * How the destination behaves.
 *
 * @param windowBlocks blocks issued at most ahead of the lowest one not yet delivered
 * @param stallNanos an accepted relay that delivers no leaf for this long while it may is given up, and so is a
 *     block that nobody has offered for {@code unofferedNanos}
 * @param unofferedNanos how long a block may wait for any sign of life before it is issued anew
 * @param inOrder accept a relay only when every earlier byte was delivered (a stream); otherwise at once (a file)
 * @param maxReissues times one byte range may be issued again before the transfer fails
 */
public record DeliveryPolicy(int windowBlocks, long stallNanos, long unofferedNanos, boolean inOrder, int maxReissues) {

    /** Defaults: 4 blocks ahead, stalls after 5 s, 64 re-issues. */
    public static DeliveryPolicy of(boolean inOrder) {
        return new DeliveryPolicy(
                4, Duration.ofSeconds(5).toNanos(), Duration.ofSeconds(60).toNanos(), inOrder, 64);
    }
}
