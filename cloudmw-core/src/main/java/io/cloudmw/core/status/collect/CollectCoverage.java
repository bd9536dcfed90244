package io.cloudmw.core.status.collect;

/**
 * The coverage of a round of garbage collection.
 *
 * @param stores stores that the round lists
 * @param storesDone of those, stores that were listed, or cannot be
 * @param expected the estimated content of those stores; 0 copies: not known yet
 */
public record CollectCoverage(int stores, int storesDone, CopyTotal expected) {
    /** Nothing covered. */
    public static final CollectCoverage NONE = new CollectCoverage(0, 0, CopyTotal.NONE);
}
