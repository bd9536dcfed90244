package io.cloudmw.core.upkeep.collect;

/**
 * A round of garbage collection, so far or in all.
 *
 * @param dry nothing is marked or deleted
 * @param beganMillis by the coordinator's clock; 0: there was none
 * @param deleted copies
 * @param failed stores that could not be listed, and deletions that failed: the next round tries again
 * @param forgotten versions of which nothing is kept any more
 */
public record CollectRound(
        boolean dry,
        long beganMillis,
        CollectFindings findings,
        CopyTotal deleted,
        long failed,
        long forgotten,
        CollectCoverage coverage) {
    public static final CollectRound NONE =
            new CollectRound(false, 0, CollectFindings.NONE, CopyTotal.NONE, 0, 0, CollectCoverage.NONE);

    public static CollectRound began(boolean dry, long nowMillis, int stores) {
        CollectCoverage coverage = new CollectCoverage(stores, 0, CopyTotal.NONE);
        return new CollectRound(dry, nowMillis, CollectFindings.NONE, CopyTotal.NONE, 0, 0, coverage);
    }

    /** Copies that nothing names for long enough. */
    public CopyTotal deletable() {
        return findings.unnamed().minus(findings.waiting());
    }

    public CollectRound found(CollectFindings more) {
        return new CollectRound(dry, beganMillis, findings.plus(more), deleted, failed, forgotten, coverage);
    }

    public CollectRound deleted(CopyTotal more) {
        return new CollectRound(dry, beganMillis, findings, deleted.plus(more), failed, forgotten, coverage);
    }

    public CollectRound failed(long times) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed + times, forgotten, coverage);
    }

    public CollectRound forgot(long versions) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed, forgotten + versions, coverage);
    }

    /** All of a store was looked at, or it cannot be. */
    public CollectRound storeDone() {
        return covered(new CollectCoverage(coverage.stores(), coverage.storesDone() + 1, coverage.expected()));
    }

    /**
     * The same round with another estimate.
     *
     * @param expected about what all stores of the round have; 0 copies: not known yet
     */
    public CollectRound expecting(CopyTotal expected) {
        return covered(new CollectCoverage(coverage.stores(), coverage.storesDone(), expected));
    }

    private CollectRound covered(CollectCoverage now) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed, forgotten, now);
    }
}
