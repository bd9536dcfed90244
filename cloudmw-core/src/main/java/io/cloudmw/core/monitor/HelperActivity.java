package io.cloudmw.core.monitor;

import java.util.Optional;

/**
 * What a helper does, and has done since it started. Immutable.
 *
 * @param transfers under way now
 * @param attempts started
 * @param wins blocks that destinations have from it
 * @param cancelled attempts cancelled
 * @param failed attempts that failed
 * @param relayedBytes sent to destinations
 * @param wastedBytes fetched and not sent to one
 * @param hedges of the transfers whose ends it was told: each client tells one helper of each transfer
 * @param switching as a switch; empty: it is none
 */
public record HelperActivity(
        int transfers,
        long attempts,
        long wins,
        long cancelled,
        long failed,
        long relayedBytes,
        long wastedBytes,
        HedgeCounts hedges,
        Optional<SwitchActivity> switching) {
    /** Nothing yet. */
    public static final HelperActivity NONE = new HelperActivity(0, 0, 0, 0, 0, 0, 0, HedgeCounts.NONE);

    /** Of one that is no switch. */
    public HelperActivity(
            int transfers,
            long attempts,
            long wins,
            long cancelled,
            long failed,
            long relayedBytes,
            long wastedBytes,
            HedgeCounts hedges) {
        this(transfers, attempts, wins, cancelled, failed, relayedBytes, wastedBytes, hedges, Optional.empty());
    }

    public HelperActivity {
        if (transfers < 0
                || attempts < 0
                || wins < 0
                || cancelled < 0
                || failed < 0
                || relayedBytes < 0
                || wastedBytes < 0) {
            throw new IllegalArgumentException("activity: a negative count");
        }
    }
}
