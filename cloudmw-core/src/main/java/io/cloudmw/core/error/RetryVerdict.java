package io.cloudmw.core.error;

/** What may be tried after a failure; decided once, where the failure is first understood. */
public enum RetryVerdict {
    /** The same request will fail again. */
    NEVER,
    /** The same replica may answer a second time. */
    SAME_REPLICA,
    /** Another replica (or another path to it) may answer; this one will not soon. */
    OTHER_REPLICA,
    /** The coordinator has to answer first: what the request was based on is out of date, or it could not be asked. */
    AFTER_REFRESH
}
