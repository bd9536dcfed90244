package io.cloudmw.lab.torture.model;

/** The kinds of violations. */
public enum FindingKind {
    /** What was acknowledged is not, or no longer, seen: a write, but also a removal or a rename. */
    LOST_ACKNOWLEDGED_WRITE,
    /** Bytes that no allowed version has there. */
    WRONG_BYTES,
    /** A read failed although a good replica of all it needed could be reached all the time. */
    AVOIDABLE_READ_FAILURE,
    /** An answer nothing explains, or none at all. */
    UNEXPLAINED
}
