package io.cloudmw.core.delivery;

import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.hedge.SpeedEstimate;
import io.cloudmw.core.mode.ModePolicy;

/** Measures attempts by what is usual at their stores, and tells the governor who is late or slow. */
final class LatenessDetector {
    /** Helpers report ten times a second of what waits for room. */
    private static final long SAID_WITHIN_NANOS = 200_000_000;

    private final DeliveryState board;
    private final ModePolicy.Extras extras;

    LatenessDetector(DeliveryState board) {
        this.board = board;
        this.extras = board.mode().extras();
    }

    /** How long a first byte may take at the flight's store, usually. */
    long delayNanos(BlockProgress flight) {
        return delayNanos(board.usual(flight));
    }

    /** The same where this is usual. */
    long delayNanos(SpeedEstimate usual) {
        double late = board.speeds.lateFirstByteNanos(usual);
        return late == 0 ? extras.capNanos() : extras.within(late);
    }

    /**
     * How long after its turn came a block may not be heard of: as long as its first byte and word of it may take. Never
     * less than a helper that has no room for it takes to say so.
     */
    long unheardNanos(BlockProgress flight) {
        double word =
                board.speeds.lateWordNanos(board.roster.helperOf(flight.holder().racer()));
        if (word == 0) {
            return extras.capNanos(); // nobody said anything yet: it may be this process that is cut off
        }
        long firstByte = extras.delayNanos(delayNanos(flight) * board.governor.patience());
        return Math.min(extras.capNanos(), Math.max(SAID_WITHIN_NANOS, firstByte + (long) word));
    }

    /** An attempt's first bytes came at {@code atNanos}. */
    void answered(BlockProgress flight, long atNanos) {
        long took = atNanos - flight.startedAtNanos;
        int helper = board.roster.helperOf(flight.holder().racer());
        board.speeds.firstByte(flight.store(), helper, took);
        told(flight, took);
        if (took > lateAfterNanos(flight)) {
            judged(flight, true);
        }
    }

    /** What is late at a store of which too little is known: what is where the attempt it makes up for was made. */
    private long lateAfterNanos(BlockProgress flight) {
        boolean known = board.usual(flight).lateFirstByteNanos() > 0;
        return known || flight.madeUpForAfterNanos == 0 ? delayNanos(flight) : flight.madeUpForAfterNanos;
    }

    /** An attempt had brought its block at {@code atNanos}. */
    void fetched(BlockProgress flight, long atNanos) {
        judged(flight, isSlow(flight, atNanos));
    }

    /** Whether its bytes come at less than half of what is usual at its store: as slow as late, however soon the first came. */
    private boolean isSlow(BlockProgress flight, long atNanos) {
        double known = board.usual(flight).bytesPerSecond();
        double usual = known > 0 ? known : flight.madeUpForBytesPerSecond;
        double rate = flight.rate(atNanos) * 1e9;
        return rate > 0 && rate * RedundancyBudget.MEDIAN_MOVED < usual;
    }

    /** An attempt is about to be withdrawn, because another brings its block: if it waited for long, or was slow, it was late. */
    void cut(BlockProgress flight) {
        boolean waits = flight.runner != null && flight.bytes() == 0;
        boolean waitedForLong = waits && board.nowNanos - flight.startedAtNanos > lateAfterNanos(flight);
        if (waitedForLong || isSlow(flight, board.nowNanos)) {
            judged(flight, true);
        }
    }

    /** Nothing has come of an attempt, and something should have. */
    void waits(BlockProgress flight) {
        if (flight.bytes() == 0) {
            told(flight, board.nowNanos - flight.startedAtNanos);
        }
    }

    private void told(BlockProgress flight, long firstByteNanos) {
        if (extras.hedges() && !flight.kept) {
            board.governor.answered(flight.store(), firstByteNanos);
        }
    }

    /** Of each attempt the governor hears once: that it was late, at its first byte or later, or in the end whether it was slow. */
    void judged(BlockProgress flight, boolean late) {
        if (extras.hedges() && !flight.judged && !flight.kept) {
            flight.judged = true;
            board.governor.judged(flight.store(), late);
        }
    }
}
