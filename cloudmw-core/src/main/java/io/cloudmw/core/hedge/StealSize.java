package io.cloudmw.core.hedge;

/** The rule for how much of the end of a block under way an idle racer takes over. */
public final class StealSize {
    /** Stealing must end the block sooner by at least this share of the time it has left. */
    public static final double WORTHWHILE = 0.25;

    private StealSize() {}

    /**
     * The number of a block's last bytes that another racer reads so that both end at the same time; 0: not soon
     * enough.
     *
     * @param leftBytes not fetched yet
     * @param leftNanos in which the block's racer fetches them at its present rate; above 0
     * @param firstByteNanos how long the other racer's first byte takes
     * @param bytesPerNano the other racer's rate after that; above 0
     * @param floorNanos the time saved must be more than this, besides that first byte
     */
    public static double bytes(
            double leftBytes, double leftNanos, double firstByteNanos, double bytesPerNano, double floorNanos) {
        double own = leftBytes / leftNanos;
        double kept = Math.min(leftBytes, own * (firstByteNanos + leftBytes / bytesPerNano) / (1 + own / bytesPerNano));
        double savedNanos = (leftBytes - kept) / own;
        return savedNanos > Math.max(WORTHWHILE * leftNanos, firstByteNanos + floorNanos) ? leftBytes - kept : 0;
    }
}
