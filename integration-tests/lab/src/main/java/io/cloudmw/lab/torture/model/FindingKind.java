package io.cloudmw.lab.torture.model;

/** The kinds of violations. */
public enum FindingKind {
    /** An acknowledged write, removal or rename is not visible, or no longer. */
    LOST_ACKNOWLEDGED_WRITE,
    /** A read returned bytes that no allowed version has there. */
    WRONG_BYTES,
    /** A read failed although each chunk that it needed had a reachable good replica throughout. */
    AVOIDABLE_READ_FAILURE,
    /** A call ended with an error that no fault explains, or did not end. */
    UNEXPLAINED
}
