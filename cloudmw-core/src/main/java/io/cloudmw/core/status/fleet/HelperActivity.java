package io.cloudmw.core.status.fleet;

import java.util.Optional;

/**
 * The activity of a helper, now and since its start. Immutable.
 *
 * @param transfers under way now
 * @param attempts started
 * @param wins blocks that it delivered to destinations
 * @param cancelled attempts cancelled
 * @param failed attempts that failed
 * @param relayedBytes sent to destinations
 * @param wastedBytes fetched and not sent to a destination
 * @param hedges of the transfers whose ends were reported to it: each client reports a transfer to one helper
 * @param switching its activity as a switch; empty: it is none
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
    /** No activity. */
    public static final HelperActivity NONE = new HelperActivity(0, 0, 0, 0, 0, 0, 0, HedgeCounts.NONE);

    /** The activity of a helper that is no switch. */
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
