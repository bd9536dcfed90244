package io.cloudmw.core.hedge;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.DirectUse;

/**
 * The comparison of direct reads with the helpers in one transfer, which decides how far the client's own racers are
 * used. Confined to the transfer.
 */
public final class DirectComparison {
    /**
     * Direct reads are as good when they take at most this many times the helpers' time, which the bytes' way from a
     * helper to the client adds to.
     */
    static final double AS_GOOD = 1.25;

    /**
     * Direct reads are given up when they take longer than this many times the helpers' time. It is more than
     * {@link #AS_GOOD}, so that a read does not change back and forth.
     */
    static final double CLEARLY_WORSE = 2;

    /** The failures in a row after which direct reads are given up for the rest of the transfer. */
    static final int MAX_FAILURES = 2;

    private DirectUse use;
    private int failuresInRow;

    public DirectComparison(DirectUse start) {
        this.use = start;
    }

    public DirectUse use() {
        return use;
    }

    /**
     * Notes that a block was read directly; returns whether the use changed.
     *
     * @param ownNanos the time that such a block takes directly, over enough reads that a new connection does not count
     * @param helperNanos the time that it takes the quickest helper
     */
    public boolean fetched(double ownNanos, double helperNanos) {
        failuresInRow = 0;
        return switch (use) {
            case PROBING -> ownNanos <= AS_GOOD * helperNanos && change(DirectUse.PREFERRED);
            case PREFERRED -> ownNanos > CLEARLY_WORSE * helperNanos && change(DirectUse.LAST_RESORT);
            case LAST_RESORT -> false;
        };
    }

    /** Notes that a direct read failed; returns whether the use changed. A bad replica says nothing about the way to it. */
    public boolean failed(ErrorCode code) {
        return !code.isOfReplica() && ++failuresInRow >= MAX_FAILURES && giveUp();
    }

    /** Gives direct reads up for the rest of the transfer; returns whether the use changed. */
    public boolean giveUp() {
        return change(DirectUse.LAST_RESORT);
    }

    private boolean change(DirectUse next) {
        boolean changed = use != next;
        use = next;
        return changed;
    }
}
