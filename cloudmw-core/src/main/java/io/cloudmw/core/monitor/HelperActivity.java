package io.cloudmw.core.monitor;

/**
 * What a helper does, and has done since it started. Immutable.
 *
 * @param transfers under way now
 * @param attempts started
 * @param wins blocks it won
 * @param cancelled attempts cancelled
 * @param failed attempts that failed
 * @param relayedBytes of the blocks relayed whole
 * @param wastedBytes fetched and not relayed
 */
public record HelperActivity(
        int transfers, long attempts, long wins, long cancelled, long failed, long relayedBytes, long wastedBytes) {
    /** Nothing yet. */
    public static final HelperActivity NONE = new HelperActivity(0, 0, 0, 0, 0, 0, 0);

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
