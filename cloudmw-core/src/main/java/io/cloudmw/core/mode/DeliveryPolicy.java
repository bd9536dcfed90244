package io.cloudmw.core.mode;

import io.cloudmw.core.model.Mode;
import java.time.Duration;

/**
 * How the destination behaves.
 *
 * @param mode what is wanted of whom
 * @param patience when it gives up waiting
 * @param inOrder accept a relay only when every earlier byte was delivered (a stream); otherwise at once (a file)
 */
public record DeliveryPolicy(ModePolicy mode, Patience patience, boolean inOrder) {
    /**
     * When the destination gives up waiting.
     *
     * @param stallNanos who holds a block, may send it and delivers no leaf for this long is given up, and so are a
     *     winner, named by other entrants, that offers nothing for this long, and a helper that fetches and gives no
     *     sign of life for this long
     * @param unofferedNanos the lowest block not yet delivered is issued anew when nobody offered it and its entrants
     *     gave no sign of life for this long (a single attempt whose helper spoke before: for {@code stallNanos}); any
     *     block whose attempt shows no progress for this long is, too
     * @param maxReissues times one byte range may be issued again, without a leaf of it arriving, before the transfer
     *     fails
     */
    public record Patience(long stallNanos, long unofferedNanos, int maxReissues) {
        /** 5 s, 60 s, 64 times. */
        public static final Patience DEFAULT = new Patience(
                Duration.ofSeconds(5).toNanos(), Duration.ofSeconds(60).toNanos(), 64);

        public Patience {
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
    }

    /** The defaults of a mode. */
    public static DeliveryPolicy of(Mode mode, boolean inOrder) {
        return of(ModePolicy.of(mode, inOrder), inOrder);
    }

    /** As patient as ever. */
    public static DeliveryPolicy of(ModePolicy mode, boolean inOrder) {
        return new DeliveryPolicy(mode, Patience.DEFAULT, inOrder);
    }
}
