package io.cloudmw.core.error;

/** The verdict about retries of a failed request, decided once, where the failure is first understood. */
public enum RetryVerdict {
    /** The same request will fail again. */
    NEVER,
    /** The same replica may answer a second time. */
    SAME_REPLICA,
    /** Another replica (or another path to it) may answer; this one will not soon. */
    OTHER_REPLICA,
    /**
     * A retry needs fresh information from the coordinator: the request's is out of date, or the coordinator could not
     * be reached.
     */
    AFTER_REFRESH
}
