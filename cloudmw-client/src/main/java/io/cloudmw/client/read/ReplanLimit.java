package io.cloudmw.client.read;

import io.cloudmw.client.context.RetryLimits;

/** The limit on plans that one get may try in a row without progress. Confined to its get. */
final class ReplanLimit {
    private int count;
    private int chunksAtLast;
    private long firstAtNanos;

    /**
     * Counts another plan that failed.
     *
     * @param chunksDone chunks of the get that are done
     * @param deliveredAtNanos when verified bytes last came
     * @return whether another plan is worthwhile
     */
    boolean mayFollow(int chunksDone, long deliveredAtNanos, long nowNanos) {
        if (count == 0 || deliveredAtNanos - firstAtNanos > 0) {
            firstAtNanos = nowNanos;
        }
        count = chunksDone > chunksAtLast ? 1 : count + 1;
        chunksAtLast = chunksDone;
        return count < RetryLimits.MAX_PLANS && nowNanos - firstAtNanos < RetryLimits.MAX_IDLE_NANOS;
    }

    /** Plans that failed since a chunk was last completed. */
    int count() {
        return count;
    }
}
