package io.cloudmw.core.race;

/** A relay that was offered and neither refused nor ended. */
final class Relay {
    final long number;
    final RacerId racer;
    final Wanted wanted;
    boolean accepted;
    /** The destination has no room for it. */
    boolean withheld;
    /** When it last moved, or could again. */
    long movedAtNanos;

    Relay(long number, RacerId racer, Wanted wanted) {
        this.number = number;
        this.racer = racer;
        this.wanted = wanted;
    }

    /** Whether it could deliver and does not. */
    boolean isStalled(long nowNanos, DeliveryPolicy policy) {
        return accepted && !withheld && nowNanos - movedAtNanos >= policy.stallNanos();
    }
}
