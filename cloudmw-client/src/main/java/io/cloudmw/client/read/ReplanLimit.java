package io.cloudmw.client.read;

import io.cloudmw.client.context.RetryLimits;

/** The limit on plans that one get may try in a row without progress. Confined to its get. */
final class ReplanLimit {
    private int count;
    private int chunksAtLast;
    private long firstAtNanos;

    /**
     * Another one failed.
     *
     * @param chunksDone of the get so far
     * @param deliveredAtNanos when verified bytes last came
     * @return whether one more is worth it
     */
    boolean mayFollow(int chunksDone, long deliveredAtNanos, long nowNanos) {
        if (count == 0 || deliveredAtNanos - firstAtNanos > 0) {
            firstAtNanos = nowNanos;
        }
        count = chunksDone > chunksAtLast ? 1 : count + 1;
        chunksAtLast = chunksDone;
        return count < RetryLimits.MAX_PLANS && nowNanos - firstAtNanos < RetryLimits.MAX_BARREN_NANOS;
    }

    /** Plans in vain since a chunk was last read to its end. */
    int count() {
        return count;
    }
}
