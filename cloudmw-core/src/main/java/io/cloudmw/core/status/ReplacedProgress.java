package io.cloudmw.core.status;

/**
 * The progress of recovery from a replaced disk or bucket.
 *
 * @param replacedAtMillis the time of the replacement, by a coordinator's clock
 * @param looked copies of the catalog's records that were checked so far
 * @param missing of these: copies that were not there
 * @param made of these: copies that were made again, there or elsewhere
 * @param lookedThrough whether all copies were checked
 * @param complete whether all missing ones are made again
 */
public record ReplacedProgress(
        long replacedAtMillis, long looked, long missing, long made, boolean lookedThrough, boolean complete) {}
