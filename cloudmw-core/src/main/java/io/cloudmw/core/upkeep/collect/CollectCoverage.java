package io.cloudmw.core.upkeep.collect;

/**
 * How far a round of garbage collection has looked through the stores.
 *
 * @param stores that the round looks through
 * @param storesDone of those, stores that were looked through, or cannot be
 * @param expected about what all those stores have; 0 copies: not known yet
 */
public record CollectCoverage(int stores, int storesDone, CopyTotal expected) {
    public static final CollectCoverage NONE = new CollectCoverage(0, 0, CopyTotal.NONE);
}
