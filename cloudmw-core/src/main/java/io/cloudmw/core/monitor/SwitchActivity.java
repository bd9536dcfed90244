package io.cloudmw.core.monitor;

/**
 * What a helper keeps and does as a switch; counts are since it started. Immutable.
 *
 * @param keptBytes in memory and on its disk, now; what is in both counts twice
 * @param hits leaves that were asked for and kept
 * @param joined those that were being fetched for others
 * @param misses those that had to be fetched
 * @param servedBytes given to readers, and to switches below
 * @param storeBytes that came from stores
 * @param aboveBytes that came from switches above
 * @param belowBytes sent to switches below
 * @param above switches it is asking, now
 * @param below switches it is giving to, now
 */
public record SwitchActivity(
        long keptBytes,
        long hits,
        long joined,
        long misses,
        long servedBytes,
        long storeBytes,
        long aboveBytes,
        long belowBytes,
        int above,
        int below) {
    public SwitchActivity {
        if (keptBytes < 0
                || hits < 0
                || joined < 0
                || misses < 0
                || servedBytes < 0
                || storeBytes < 0
                || aboveBytes < 0
                || belowBytes < 0
                || above < 0
                || below < 0) {
            throw new IllegalArgumentException("switch: a negative count");
        }
    }

    /** The share of leaves for which nothing had to be fetched anew; 0 when none was asked for. */
    public double hitRatio() {
        long asked = hits + joined + misses;
        return asked == 0 ? 0 : (hits + joined) / (double) asked;
    }
}
