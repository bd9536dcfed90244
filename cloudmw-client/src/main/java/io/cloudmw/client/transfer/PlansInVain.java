package io.cloudmw.client.transfer;

/** Plans of a get, one after the other, by which something could not be reached. Confined to its get. */
final class PlansInVain {
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
        return count < AskAgain.MAX_PLANS && nowNanos - firstAtNanos < AskAgain.MAX_BARREN_NANOS;
    }

    /** Plans in vain since a chunk was last read to its end. */
    int count() {
        return count;
    }
}
