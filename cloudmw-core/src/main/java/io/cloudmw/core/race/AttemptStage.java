package io.cloudmw.core.race;

/** The stage of an attempt, as its racer reports it. */
public enum AttemptStage {
    /** The request was sent. */
    STARTED,
    /** Bytes are arriving, or the racer waits for them. Reported repeatedly as the helper's sign of life. */
    UNDER_WAY,
    /** The racer has fetched the whole block. */
    FETCHED,
    /** The racer held the whole block before it was asked: no store was read, so nothing is learnt about one. */
    KEPT,
    /** The attempt failed or was cancelled. */
    STOPPED
}
