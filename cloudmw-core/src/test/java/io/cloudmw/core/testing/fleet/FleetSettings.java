package io.cloudmw.core.testing.fleet;

/**
 * What a simulated fleet is like.
 *
 * @param helpers how many helper processes there are
 * @param storeCount how many stores there are
 * @param loss how likely a message needs a retransmission
 * @param isStormy whether stores slow down together and regions are cut off
 * @param isSkewed whether clocks are wrong
 * @param allSlowFromNanos when every store becomes ten times slower
 * @param linkBytesPerSecond what a destination can take
 */
public record FleetSettings(
        Stores stores,
        int helpers,
        int storeCount,
        double loss,
        boolean isStormy,
        boolean isSkewed,
        long allSlowFromNanos,
        double linkBytesPerSecond) {
    static final int REGIONS = 20;

    /** Which model the stores follow. */
    public enum Stores {
        /** {@link PaperStores}. */
        PAPER,
        /** {@link TailStores}. */
        TAIL
    }

    private static final long NEVER = Long.MAX_VALUE;

    /** The paper's own: three helpers, three stores, a destination of 25 MB/s. */
    public static FleetSettings paper() {
        return new FleetSettings(Stores.PAPER, 3, 3, 0, false, false, NEVER, 25e6);
    }

    /** S3 with its tail, and a destination of 10 Gbit/s. */
    public static FleetSettings tail() {
        return new FleetSettings(Stores.TAIL, 3, 3, 0, false, false, NEVER, 1.25e9);
    }

    /** As {@link #tail}, with every store ten times slower from some time on. */
    public static FleetSettings outage(long fromNanos) {
        return new FleetSettings(Stores.TAIL, 3, 3, 0, false, false, fromNanos, 1.25e9);
    }

    /** A fleet with slowdowns, partitions, losses and wrong clocks. */
    public static FleetSettings storm(int helpers, int stores) {
        return new FleetSettings(Stores.TAIL, helpers, stores, 0.001, true, true, NEVER, 1.25e9);
    }
}
