package io.cloudmw.core.store;

/** The outcome of a put. */
public enum PutOutcome {
    /** The chunk was written. */
    WRITTEN,
    /** The chunk existed; nothing was changed. */
    EXISTED
}
