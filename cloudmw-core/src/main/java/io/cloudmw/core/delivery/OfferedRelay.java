package io.cloudmw.core.delivery;

import io.cloudmw.core.race.RacerId;

/** A relay that a racer has offered and that is neither refused nor ended. */
final class OfferedRelay {
    private enum State {
        OFFERED,
        /** Gets credit before its turn in a stream. */
        PREPARED,
        ACCEPTED
    }

    private final long number;
    private final RacerId racer;
    private final BlockProgress block;
    private State state = State.OFFERED;
    private boolean withheld;
    private long movedAtNanos;

    OfferedRelay(long number, RacerId racer, BlockProgress block) {
        this.number = number;
        this.racer = racer;
        this.block = block;
    }

    /** The caller's number for the relay. */
    long number() {
        return number;
    }

    /** The racer that offered the relay. */
    RacerId racer() {
        return racer;
    }

    /** The block it relays. */
    BlockProgress block() {
        return block;
    }

    boolean isOffered() {
        return state == State.OFFERED;
    }

    boolean isAccepted() {
        return state == State.ACCEPTED;
    }

    void prepare() {
        state = State.PREPARED;
    }

    void accept(long nowNanos) {
        state = State.ACCEPTED;
        movedAtNanos = nowNanos;
    }

    /** Returns whether the destination withholds credit because it has no room for more of this relay. */
    boolean isWithheld() {
        return withheld;
    }

    void withhold() {
        withheld = true;
    }

    void grant(long nowNanos) {
        withheld = false;
        movedAtNanos = nowNanos;
    }

    /** Notes that a leaf arrived, or that the racer may be expected to send from now on. */
    void moved(long nowNanos) {
        movedAtNanos = nowNanos;
    }

    /** The time when a leaf last arrived, or could again. */
    long movedAtNanos() {
        return movedAtNanos;
    }

    /** Returns whether the relay can stall: it is accepted and has credit. */
    boolean mayMove() {
        return isAccepted() && !withheld;
    }
}
