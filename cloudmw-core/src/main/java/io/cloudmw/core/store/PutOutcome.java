package io.cloudmw.core.store;

/** What a put found. */
public enum PutOutcome {
    /** The chunk was not there and now is. */
    WRITTEN,
    /** The chunk was there already; nothing was changed. */
    EXISTED
}
