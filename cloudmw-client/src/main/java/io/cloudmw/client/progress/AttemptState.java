package io.cloudmw.client.progress;

/** The state of an attempt. */
public enum AttemptState {
    /** The attempt has requested its replica. */
    STARTED,
    /** Bytes arrive at the racer. */
    PROGRESSED,
    /** The racer has the whole verified block. */
    FINISHED,
    /** Another racer won; not a failure. */
    CANCELLED,
    /** The replica failed. */
    FAILED;

    /** Returns whether this is a final state. */
    public boolean isOver() {
        return this == FINISHED || this == CANCELLED || this == FAILED;
    }
}
