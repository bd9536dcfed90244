package io.cloudmw.core.status;

/**
 * The progress of scrubbing.
 *
 * @param rounds rounds over all copies that have ended
 * @param verified copies that were read and right, in the round under way or the last one
 * @param verifiedBytes bytes read of them and of the bad ones, in that round
 * @param bad copies found missing or corrupt, in that round
 * @param skipped copies that were skipped in that round, since their store was absent or they could not be read
 * @param beganMillis when that round began, by the coordinator's clock; 0: not known yet
 * @param underWay whether it has not ended
 */
public record ScrubProgress(
        long rounds, long verified, long verifiedBytes, long bad, long skipped, long beganMillis, boolean underWay) {
    /** No progress. */
    public static final ScrubProgress NONE = new ScrubProgress(0, 0, 0, 0, 0, 0, false);

    /** Returns the progress at the start of another round. */
    public ScrubProgress began(long nowMillis) {
        return new ScrubProgress(rounds, 0, 0, 0, 0, nowMillis, true);
    }

    /** Returns the progress at the end of the round. */
    public ScrubProgress ended() {
        return new ScrubProgress(rounds + 1, verified, verifiedBytes, bad, skipped, beganMillis, false);
    }

    /** The progress after one more copy was checked. */
    public ScrubProgress verified(long bytes, boolean wrong) {
        return new ScrubProgress(
                rounds,
                verified + (wrong ? 0 : 1),
                verifiedBytes + bytes,
                bad + (wrong ? 1 : 0),
                skipped,
                beganMillis,
                underWay);
    }

    /** The progress after copies were skipped. */
    public ScrubProgress skipped(long copies) {
        return new ScrubProgress(rounds, verified, verifiedBytes, bad, skipped + copies, beganMillis, underWay);
    }
}
