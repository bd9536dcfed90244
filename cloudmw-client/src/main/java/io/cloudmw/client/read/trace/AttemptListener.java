package io.cloudmw.client.read.trace;

/** A listener to the attempts of one read. Called on the transfer's executor; must not block. */
interface AttemptListener {
    /** A block was issued to a racer, or the racer tries again. */
    void opened(TimedAttempt attempt);

    /** The attempt began, progressed, ended or won bytes. */
    void changed(TimedAttempt attempt);

    /** The attempt is over and its chunk is delivered, or the read has ended: nothing changes any more. */
    void settled(TimedAttempt attempt);
}
