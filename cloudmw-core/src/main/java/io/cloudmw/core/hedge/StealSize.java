package io.cloudmw.core.hedge;

/** How much of the end of a block under way is worth taking over, by whoever has nothing else to do. */
public final class StealSize {
    /** It must end the block this much sooner. */
    public static final double WORTHWHILE = 0.25;

    private StealSize() {}

    /**
     * How many of a block's last bytes another reads so that both are through at the same time; 0: that would not be soon
     * enough.
     *
     * @param leftBytes not fetched yet
     * @param leftNanos in which who has the block fetches them, as fast as it does now; above 0
     * @param firstByteNanos how long the other's first byte takes
     * @param bytesPerNano at which its bytes come then; above 0
     * @param floorNanos what is gained must be more, besides that first byte
     */
    public static double bytes(
            double leftBytes, double leftNanos, double firstByteNanos, double bytesPerNano, double floorNanos) {
        double own = leftBytes / leftNanos;
        double kept = Math.min(leftBytes, own * (firstByteNanos + leftBytes / bytesPerNano) / (1 + own / bytesPerNano));
        double savedNanos = (leftBytes - kept) / own;
        return savedNanos > Math.max(WORTHWHILE * leftNanos, firstByteNanos + floorNanos) ? leftBytes - kept : 0;
    }
}
