package io.cloudmw.core.status.collect;

/**
 * The counts of a round of garbage collection, so far or in total.
 *
 * @param dry whether nothing is marked or deleted
 * @param beganMillis by the coordinator's clock; 0: there was none
 * @param deleted copies
 * @param failed stores that could not be listed, and deletions that failed; the next round retries them
 * @param forgotten versions that were dropped from the catalog
 * @param compacted packs of small files that were replaced by smaller ones, and how many bytes less those take in all
 *     stores
 */
public record CollectRound(
        boolean dry,
        long beganMillis,
        CollectFindings findings,
        CopyTotal deleted,
        long failed,
        long forgotten,
        CopyTotal compacted,
        CollectCoverage coverage) {
    /** No round. */
    public static final CollectRound NONE = new CollectRound(
            false, 0, CollectFindings.NONE, CopyTotal.NONE, 0, 0, CopyTotal.NONE, CollectCoverage.NONE);

    /** A round that has just begun. */
    public static CollectRound began(boolean dry, long nowMillis, int stores) {
        CollectCoverage coverage = new CollectCoverage(stores, 0, CopyTotal.NONE);
        return new CollectRound(dry, nowMillis, CollectFindings.NONE, CopyTotal.NONE, 0, 0, CopyTotal.NONE, coverage);
    }

    /** Returns the unreferenced copies that are old enough to be deleted. */
    public CopyTotal deletable() {
        return findings.unnamed().minus(findings.waiting());
    }

    /** The round with more findings. */
    public CollectRound found(CollectFindings more) {
        return new CollectRound(dry, beganMillis, findings.plus(more), deleted, failed, forgotten, compacted, coverage);
    }

    /** The round after more copies were deleted. */
    public CollectRound deleted(CopyTotal more) {
        return new CollectRound(dry, beganMillis, findings, deleted.plus(more), failed, forgotten, compacted, coverage);
    }

    /** The round after more failures. */
    public CollectRound failed(long times) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed + times, forgotten, compacted, coverage);
    }

    /** The round after more versions were forgotten. */
    public CollectRound forgot(long versions) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed, forgotten + versions, compacted, coverage);
    }

    /** The round after more packs were replaced. */
    public CollectRound compacted(CopyTotal more) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed, forgotten, compacted.plus(more), coverage);
    }

    /** Returns the round with one more store done, listed or not. */
    public CollectRound storeDone() {
        return covered(new CollectCoverage(coverage.stores(), coverage.storesDone() + 1, coverage.expected()));
    }

    /**
     * Returns the round with another estimate.
     *
     * @param expected the estimated content of the round's stores; 0 copies: not known yet
     */
    public CollectRound expecting(CopyTotal expected) {
        return covered(new CollectCoverage(coverage.stores(), coverage.storesDone(), expected));
    }

    private CollectRound covered(CollectCoverage now) {
        return new CollectRound(dry, beganMillis, findings, deleted, failed, forgotten, compacted, now);
    }
}
