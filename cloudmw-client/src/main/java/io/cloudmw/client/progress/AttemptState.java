package io.cloudmw.client.progress;

/** How far one attempt has come. */
public enum AttemptState {
    /** It has asked its replica. */
    STARTED,
    /** Bytes are arriving at its racer. */
    PROGRESSED,
    /** Its racer holds the whole verified block. */
    FINISHED,
    /** Stopped because another racer won; not a failure. */
    CANCELLED,
    /** Its replica failed. */
    FAILED;

    /** Whether nothing more happens to the attempt. */
    public boolean isOver() {
        return this == FINISHED || this == CANCELLED || this == FAILED;
    }
}
