package io.cloudmw.core.status.fleet;

/**
 * The activity of a helper as a switch; counts are since its start. Immutable.
 *
 * @param keptBytes in memory and on its disk, now; leaves in both count twice
 * @param hits requested leaves that were in the cache
 * @param joined requested leaves that were being fetched for others
 * @param misses requested leaves that were fetched
 * @param servedBytes sent to readers, and to switches below
 * @param storeBytes read from stores
 * @param aboveBytes received from switches above
 * @param belowBytes sent to switches below
 * @param above switches it is asking, now
 * @param below switches it is sending to, now
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

    /** The share of requested leaves that needed no fetch of their own; 0 when none was requested. */
    public double hitRatio() {
        long asked = hits + joined + misses;
        return asked == 0 ? 0 : (hits + joined) / (double) asked;
    }
}
