package io.cloudmw.core.delivery;

import io.cloudmw.core.race.RacerId;

/** A relay that was offered and neither refused nor ended. */
final class OfferedRelay {
    final long number;
    final RacerId racer;
    final BlockProgress flight;
    /** Credit may be given to it before its turn. */
    boolean prepared;

    boolean accepted;
    /** The destination has no room for it. */
    boolean withheld;
    /** When it last moved, or could again. */
    long movedAtNanos;

    OfferedRelay(long number, RacerId racer, BlockProgress flight) {
        this.number = number;
        this.racer = racer;
        this.flight = flight;
    }

    /** Whether it is to be watched: accepted, and with room. */
    boolean mayMove() {
        return accepted && !withheld;
    }
}
