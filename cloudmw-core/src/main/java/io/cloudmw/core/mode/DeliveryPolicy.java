package io.cloudmw.core.mode;

import io.cloudmw.core.model.Mode;
import java.time.Duration;

/**
 * The policy of a destination.
 *
 * @param mode the read mode
 * @param patience when it stops waiting
 * @param inOrder accept a relay only when every earlier byte was delivered (a stream); otherwise at once (a file)
 * @param direct the policy for the client's own racers
 */
public record DeliveryPolicy(ModePolicy mode, Patience patience, boolean inOrder, DirectPolicy direct) {
    /** A policy by which the client reads only what no helper can bring. */
    public DeliveryPolicy(ModePolicy mode, Patience patience, boolean inOrder) {
        this(mode, patience, inOrder, DirectPolicy.LAST_RESORT);
    }

    /**
     * The times after which a destination stops waiting.
     *
     * @param stallNanos a racer is given up when it holds a block, may send it and delivers no leaf for this long. So
     *     is a winner, named by other entrants, that offers nothing, and a helper that fetches and gives no sign of
     *     life
     * @param unofferedNanos the lowest block not yet delivered is issued anew when no racer offers it and its entrants
     *     give no sign of life for this long. For a single attempt whose helper was heard before, {@code stallNanos}
     *     is enough. A block whose attempt makes no progress for this long is issued anew too
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

    /** The default policy of a mode. */
    public static DeliveryPolicy of(Mode mode, boolean inOrder) {
        return of(ModePolicy.of(mode, inOrder), inOrder);
    }

    /** The policy of this mode with the default patience. */
    public static DeliveryPolicy of(ModePolicy mode, boolean inOrder) {
        return new DeliveryPolicy(mode, Patience.DEFAULT, inOrder);
    }

    /** The same policy with another one for the client's own racers. */
    public DeliveryPolicy withDirect(DirectPolicy own) {
        return new DeliveryPolicy(mode, patience, inOrder, own);
    }
}
