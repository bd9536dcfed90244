package io.cloudmw.core.testing.fleet;

/**
 * The settings of a simulated fleet.
 *
 * @param helpers the number of helper processes
 * @param storeCount the number of stores
 * @param loss the probability that a message needs a retransmission
 * @param isStormy whether stores slow down together and regions are cut off
 * @param isSkewed whether clocks are wrong
 * @param allSlowFromNanos when every store becomes ten times slower
 * @param linkBytesPerSecond the speed of a destination
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

    /** The models of stores. */
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

    /** The fleet of {@link #tail}, with every store ten times slower from some time on. */
    public static FleetSettings outage(long fromNanos) {
        return new FleetSettings(Stores.TAIL, 3, 3, 0, false, false, fromNanos, 1.25e9);
    }

    /** A fleet with slowdowns, partitions, losses and wrong clocks. */
    public static FleetSettings storm(int helpers, int stores) {
        return new FleetSettings(Stores.TAIL, helpers, stores, 0.001, true, true, NEVER, 1.25e9);
    }
}
