package io.cloudmw.core.race;

/** A relay that was offered and neither refused nor ended. */
final class Relay {
    final long number;
    final RacerId racer;
    final Flight flight;
    /** Credit may be given to it before its turn. */
    boolean prepared;

    boolean accepted;
    /** The destination has no room for it. */
    boolean withheld;
    /** When it last moved, or could again. */
    long movedAtNanos;

    Relay(long number, RacerId racer, Flight flight) {
        this.number = number;
        this.racer = racer;
        this.flight = flight;
    }

    /** Whether it is to be watched: accepted, and with room. */
    boolean mayMove() {
        return accepted && !withheld;
    }
}
