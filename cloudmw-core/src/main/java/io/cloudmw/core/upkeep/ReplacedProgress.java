package io.cloudmw.core.upkeep;

/**
 * How far the copies of a store are made anew whose disk or bucket was replaced.
 *
 * @param replacedAtMillis when it was, by a coordinator's clock
 * @param looked copies that the catalog said were in the store, and that were looked for there so far
 * @param missing of these: copies that were not there
 * @param made of these: copies that were made anew, there or elsewhere
 * @param lookedThrough whether all copies were looked for
 * @param complete whether all that were missing are made anew
 */
public record ReplacedProgress(
        long replacedAtMillis, long looked, long missing, long made, boolean lookedThrough, boolean complete) {}
